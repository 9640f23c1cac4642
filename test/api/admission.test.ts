import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { customResourceDefinitions } from "../../src/core/api/definitions/custom-resource-definitions.ts";
import type { Rule, Schema } from "../../src/core/api/definitions/schema.ts";
import { describeProblem } from "../../src/core/api/problem.ts";
import { validateCustomResource } from "../../src/core/api/validate-custom-resource.ts";
import { celRules } from "../../src/embedded/cel/cel-rules.ts";
import { matchesPattern } from "../../src/embedded/cel/re2.ts";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { admissionCases } from "./admission-cases.ts";
import { createDefinitions } from "./install-definitions.ts";
import { type Answer, tryCase } from "./try-case.ts";

const tools = { matches: matchesPattern, rules: celRules };

describe("the definitions on the embedded API server", () => {
  const cluster = new EmbeddedCluster({
    clock: new VirtualClock(Date.parse("2026-01-31T12:00:00Z")),
    seed: 1,
    without: ["scheduler", "workloads", "kubelet"],
  });
  const send = cluster.transport.send.bind(cluster.transport);
  const answers = new Map<string, Answer>();
  before(async () => {
    await createDefinitions(send, customResourceDefinitions);
    cluster.settle();
    for (const one of admissionCases) answers.set(one.name, await tryCase(send, one));
  });
  after(() => cluster.stop());

  for (const { name, definition, title, refusal } of admissionCases) {
    it(`${refusal === undefined ? "take" : "refuse"} a ${definition.spec.names.kind} with ${title}`, () => {
      const answer = answers.get(name);
      if (refusal === undefined) assert.deepEqual(answer?.message, "");
      else assert.ok(answer?.message.includes(refusal), answer?.message || "It is taken");
    });
  }

  it("have an object for every rule that no other rule refuses", () => {
    const alone = new Set([...answers.values()].flatMap(soleRule));
    const missing = customResourceDefinitions.flatMap(({ spec }) =>
      rulesIn(spec.versions[0].schema.openAPIV3Schema).filter(({ message }) => !alone.has(message)),
    );
    assert.deepEqual(missing, []);
  });

  it("give a pool that says next to nothing its defaults", () => {
    assert.deepEqual(answers.get("case-1")?.stored, {
      spec: {
        disruption: {
          consolidateAfter: "0s",
          consolidationPolicy: "WhenEmptyOrUnderutilized",
          budgets: [{ nodes: "10%" }],
        },
        template: {
          spec: {
            nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" },
            requirements: [],
            expireAfter: "720h",
          },
        },
      },
      status: undefined,
    });
  });

  it("let kubectl scale a static pool", async () => {
    const spec = { template: { spec: { nodeClassRef: { group: "a", kind: "B", name: "c" }, requirements: [] } } };
    const path = "/apis/karpenter.sh/v1/nodepools";
    const body = {
      apiVersion: "karpenter.sh/v1",
      kind: "NodePool",
      metadata: { name: "static" },
      spec: { replicas: 1, ...spec },
    };
    await send({ method: "POST", path, body });
    const { status } = await send({
      method: "PATCH",
      path: `${path}/static/scale`,
      contentType: "application/merge-patch+json",
      body: { spec: { replicas: 5 } },
    });
    const scaled = (await send({ method: "GET", path: `${path}/static` })).body as { spec: { replicas: number } };
    assert.deepEqual([status, scaled.spec.replicas], [200, 5]);
  });
});

describe("validateCustomResource", () => {
  const fresh = admissionCases.filter(({ before }) => before === undefined);
  const wire = ({ definition: { spec }, object }: (typeof fresh)[number]) => ({
    apiVersion: `${spec.group}/${spec.versions[0].name}`,
    kind: spec.names.kind,
    metadata: { name: "a" },
    ...object,
  });

  it("judges every new object as the API server does", () => {
    const judged = fresh.map((one) => [one.name, validateCustomResource(wire(one), tools).length > 0]);
    assert.deepEqual(
      judged,
      fresh.map((one) => [one.name, one.refusal !== undefined]),
    );
  });

  it("says what to do, once", () => {
    const pool = { apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name: "a" } };
    const template = {
      spec: { nodeClassRef: { group: "a", kind: "B", name: "c" }, requirements: [], expireAfter: "30d" },
    };
    assert.deepEqual(validateCustomResource({ ...pool, spec: { template } }, tools).map(describeProblem), [
      'NodePool a: spec.template.spec.expireAfter is refused: Invalid value: "30d": write whole hours, minutes and seconds, such as 30s or 1h30m (30 days are 720h), or Never.',
    ]);
  });

  it("has nothing to say about other kinds, or anything at all", () => {
    for (const other of [undefined, 7, [], {}, { apiVersion: "v1", kind: "Pod", spec: 7 }]) {
      assert.deepEqual(validateCustomResource(other, tools), []);
    }
  });
});

/** The words of the one rule that an object broke; the pattern with the same meaning may be broken too. */
function soleRule({ causes }: Answer): string[] {
  const [first, ...others] = causes.filter(({ message }) => !message.includes(" in body should match "));
  if (first === undefined || others.length > 0 || causes.length > 2) return [];
  return [first.message.replace(/^.*? evaluating rule: |^Invalid value: ("([^"\\]|\\.)*": )?/, "")];
}

function rulesIn(schema: Schema): readonly Rule[] {
  const children = [...Object.values(schema.properties ?? {}), schema.additionalProperties, schema.items];
  const below = children.flatMap((child) => (child === undefined ? [] : rulesIn(child)));
  return [...(schema["x-kubernetes-validations"] ?? []), ...below];
}
