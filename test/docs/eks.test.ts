import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type CollectionTag, isMap, isSeq, parseDocument, type ScalarTag } from "yaml";
import { root } from "./pages.ts";

interface Statement {
  readonly Action: string | readonly string[];
}
interface Policy {
  readonly Statement: readonly Statement[];
}

const folder = join(root, "docs/eks");
const readText = (name: string): string => readFileSync(join(folder, name), "utf8");
const readPolicy = (name: string): Policy => JSON.parse(readText(`policies/${name}.json`));
const controllerPolicies = ["launch", "profiles", "discovery"] as const;

/** References, as CloudFormation writes them: `!Ref X`, `!GetAtt X.Y`, `!Sub "${X}"`, `!If [X, …]`. */
interface Call {
  readonly call: string;
  readonly argument: unknown;
}
const scalarTags: ScalarTag[] = ["Ref", "GetAtt", "Sub"].map((call) => ({
  tag: `!${call}`,
  resolve: (argument: string): Call => ({ call, argument }),
}));
const listTags: CollectionTag[] = ["If", "Not", "Equals"].map((call) => ({
  tag: `!${call}`,
  collection: "seq",
  resolve: (value) => {
    assert.ok(isSeq(value) && !isMap(value));
    value.tag = undefined as never;
    return value;
  },
}));

function readTemplate(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const document = parseDocument(readText("cloudformation.yaml"), { customTags: [...scalarTags, ...listTags] });
  assert.deepEqual(
    [...document.errors, ...document.warnings].map(({ message }) => message),
    [],
  );
  return document.toJS();
}

const template = readTemplate();
const resources = template.Resources as Readonly<Record<string, { Type: string; Properties: Record<string, unknown> }>>;

/** The names that a value refers to. */
function referencesIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const { call, argument } = value as Partial<Call>;
  if (call === "Ref") return [String(argument)];
  if (call === "GetAtt") return [String(argument).split(".")[0] ?? ""];
  if (call === "Sub") return [...String(argument).matchAll(/\$\{([\w:]+)/g)].map(([, name = ""]) => name);
  return Object.values(value).flatMap(referencesIn);
}

/** A document that is written as text, with the placeholders of the files. */
function documentOf(value: unknown): unknown {
  const { argument } = value as Call;
  const names = {
    ...{ "AWS::Partition": "AWS_PARTITION", "AWS::Region": "AWS_REGION", "AWS::AccountId": "AWS_ACCOUNT" },
    ...{ ClusterName: "CLUSTER_NAME", NodeRole: "NODE_ROLE", OidcIssuer: "OIDC_ISSUER", Namespace: "NAMESPACE" },
  };
  const text = Object.entries(names).reduce(
    (before, [inner, outer]) => before.replaceAll(`\${${inner}}`, `\${${outer}}`),
    String(argument),
  );
  return JSON.parse(text);
}

describe("the CloudFormation template", () => {
  it("refers to what it defines", () => {
    const defined = new Set([
      ...Object.keys(template.Parameters ?? {}),
      ...Object.keys(resources),
      ...["AWS::Partition", "AWS::Region", "AWS::AccountId"],
    ]);
    assert.deepEqual(
      referencesIn(template).filter((name) => !defined.has(name)),
      [],
    );
    const conditions = Object.values(resources).flatMap((resource) =>
      "Condition" in resource ? [resource.Condition] : [],
    );
    assert.deepEqual(
      conditions.filter((name) => !(String(name) in (template.Conditions ?? {}))),
      [],
    );
  });

  it("has the policies of the files", () => {
    const inTemplate = ["LaunchPolicy", "ProfilesPolicy", "DiscoveryPolicy"].map((name) =>
      documentOf(resources[name]?.Properties.PolicyDocument),
    );
    assert.deepEqual(inTemplate, controllerPolicies.map(readPolicy));
    const choice = resources.ControllerRole?.Properties.AssumeRolePolicyDocument as readonly unknown[] | undefined;
    const [, irsa, podIdentity] = choice ?? [];
    assert.deepEqual(documentOf(irsa), readPolicy("irsa-trust"));
    assert.deepEqual(podIdentity, readPolicy("pod-identity-trust"));
    assert.deepEqual(resources.NodeRole?.Properties.AssumeRolePolicyDocument, readPolicy("node-trust"));
  });

  it("and the script have EventBridge send what the controller reads", () => {
    const source = readFileSync(join(root, "src/adapters/aws/interruption/read-message.ts"), "utf8");
    const read = [...source.matchAll(/key\("0", "([\w.]+)", "([^"]+)"\)/g)].map(([, from, what]) => `${from} ${what}`);
    const sent = Object.values(resources)
      .filter(({ Type }) => Type === "AWS::Events::Rule")
      .map(({ Properties }) => Properties.EventPattern as { source: string[]; "detail-type": string[] })
      .map((pattern) => `${pattern.source[0]} ${pattern["detail-type"][0]}`);
    const byScript = [...readText("create.sh").matchAll(/^rule \w+ ([\w.]+) "([^"]+)"$/gm)].map(
      ([, a, b]) => `${a} ${b}`,
    );
    assert.ok(read.length > 0);
    assert.deepEqual(sent.sort(), read.sort());
    assert.deepEqual(byScript.sort(), read.sort());
  });
});

describe("the policies of the controller", () => {
  const services: Readonly<Record<string, string>> = {
    ...{ Ec2Api: "ec2", IamApi: "iam", SsmApi: "ssm", PricingApi: "pricing", EksApi: "eks", SqsApi: "sqs" },
    ZonalShiftApi: "arc-zonal-shift",
  };
  /** Needed by calls that name a role, or tags. */
  const implied = ["iam:PassRole", "iam:TagInstanceProfile"];

  function callsOfPort(): readonly { readonly action: string; readonly method: string }[] {
    const source = readFileSync(join(root, "src/adapters/aws/api/aws-api.ts"), "utf8");
    return Object.entries(services).flatMap(([name, service]) => {
      const [, body = ""] = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(source) ?? [];
      return [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, method = ""]) => {
        const call = method === "receiveMessages" ? "ReceiveMessage" : `${method[0]?.toUpperCase()}${method.slice(1)}`;
        return { action: `${service}:${call}`, method };
      });
    });
  }

  it("allow the calls that the code makes, and no others", () => {
    const allowed = controllerPolicies.flatMap((name) => readPolicy(name).Statement.flatMap(({ Action }) => Action));
    const made = callsOfPort().map(({ action }) => action);
    assert.deepEqual([...new Set(allowed)].sort(), [...made, ...implied].sort());
  });

  it("are for calls that somebody makes", () => {
    const aws = join(root, "src/adapters/aws");
    const code = readdirSync(aws, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.startsWith("api"))
      .map((name) => readFileSync(join(aws, name), "utf8"))
      .join("\n");
    const idle = callsOfPort().filter(({ method }) => !new RegExp(`\\.${method}\\(|\\b${method}\\b`).test(code));
    assert.deepEqual(idle, []);
  });

  it("let it tag machines with the keys that it tags them with later", () => {
    const source = readFileSync(join(root, "src/adapters/aws/instances/machine-tagger.ts"), "utf8");
    const [, wanted = ""] = /const wanted = new Map\(\[([\s\S]*?)\]\);/.exec(source) ?? [];
    const keys = { nameTag: "Name", nodeClaimTag: "karpenter.sh/nodeclaim", clusterNameTag: "eks:eks-cluster-name" };
    const used = Object.entries(keys).flatMap(([name, key]) => (wanted.includes(name) ? [key] : []));
    assert.equal(used.length, wanted.match(/\[\w+Tag,/g)?.length);
    const text = JSON.stringify(readPolicy("launch"));
    const [, allowed = ""] = /"aws:TagKeys":(\[[^\]]*\])/.exec(text) ?? [];
    assert.deepEqual((JSON.parse(allowed) as string[]).sort(), used.sort());
  });

  it("are no longer than IAM allows, with the longest name of a cluster", () => {
    const longest: Readonly<Record<string, number>> = { CLUSTER_NAME: 44, NODE_ROLE: 64, AWS_REGION: 20 };
    for (const name of controllerPolicies) {
      const filled = JSON.stringify(readPolicy(name)).replaceAll(/\$\{(\w+)\}/g, (_, key: string) =>
        "x".repeat(longest[key] ?? 12),
      );
      assert.ok(filled.length <= 6144, `${name}: ${filled.length}`);
    }
  });
});
