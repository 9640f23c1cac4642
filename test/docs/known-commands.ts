// What commands other programs have, as far as the documents use them.
import * as ec2 from "@aws-sdk/client-ec2";
import * as eks from "@aws-sdk/client-eks";
import * as iam from "@aws-sdk/client-iam";
import * as sqs from "@aws-sdk/client-sqs";
import { flagsOf, type Words } from "./shell.ts";

type Table = Readonly<Record<string, readonly string[]>>;

const kubectlEverywhere = ["--namespace", "--all-namespaces", "--context", "--kubeconfig", "--help"];
const kubectl: Table = {
  annotate: ["--overwrite", "--all"],
  apply: ["--server-side", "--force-conflicts", "--filename", "--dry-run"],
  config: [],
  cordon: [],
  create: ["--image", "--replicas", "--filename", "--dry-run"],
  delete: ["--all", "--wait", "--timeout", "--selector", "--cascade"],
  describe: ["--selector"],
  drain: ["--ignore-daemonsets", "--delete-emptydir-data"],
  edit: [],
  events: ["--for", "--types", "--watch"],
  explain: ["--recursive"],
  get: ["--watch", "--output", "--selector", "--field-selector", "--sort-by", "--show-labels", "--label-columns"],
  label: ["--overwrite"],
  logs: ["--follow", "--selector", "--since"],
  patch: ["--type", "--patch", "--subresource"],
  "port-forward": [],
  replace: ["--filename"],
  rollout: ["--timeout"],
  scale: ["--replicas"],
  wait: ["--for", "--all", "--timeout"],
};
const helm: Table = {
  get: [],
  lint: ["--values"],
  package: [],
  pull: ["--version"],
  push: [],
  rollback: ["--namespace"],
  template: ["--values", "--set", "--namespace"],
  uninstall: ["--namespace", "--wait"],
  upgrade: [
    ...["--install", "--namespace", "--create-namespace", "--set", "--set-string", "--values", "--version", "--wait"],
    ...["--take-ownership", "--skip-crds", "--reuse-values"],
  ],
};
/** Of services whose SDK is not at hand. */
const otherAws: Table = {
  "cloudformation delete-stack": ["--stack-name"],
  "cloudformation deploy": ["--stack-name", "--template-file", "--capabilities", "--parameter-overrides"],
  "cloudformation wait": ["--stack-name"],
  "events delete-rule": ["--name"],
  "events put-rule": ["--name", "--event-pattern"],
  "events put-targets": ["--rule", "--targets"],
  "events remove-targets": ["--rule", "--ids"],
  "sts get-caller-identity": [],
};
const awsEverywhere = ["--query", "--output", "--region", "--profile", "--no-cli-pager"];
const sdks: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { ec2, eks, iam, sqs };

/** What is wrong with a command of a program that is known here; undefined when nothing can be said against it. */
export function problemOfCommand(words: Words): string | undefined {
  switch (words[0]) {
    case "kubectl":
      return judge(words, kubectl[verbOf(words)], kubectlEverywhere);
    case "helm":
      return judge(words, helm[words[1] ?? ""], []);
    case "aws":
      return judge(words, awsFlags(words), awsEverywhere);
    default:
      return undefined;
  }
}

/** Flags may stand before it. */
function verbOf(words: Words): string {
  const [, first = "", , third = ""] = words;
  return first === "-n" ? third : first;
}

function judge(words: Words, known: readonly string[] | undefined, everywhere: readonly string[]): string | undefined {
  const command = words.slice(0, 3).join(" ");
  if (known === undefined) return `"${command}" is not known`;
  const unknown = flagsOf(words).filter((flag) => ![...known, ...everywhere].includes(flag));
  return unknown.length === 0 ? undefined : `"${command}" has no ${unknown.join(", ")}`;
}

/** From the shape of the request in the SDK: `--role-name` is RoleName. */
function awsFlags([, service = "", operation = ""]: Words): readonly string[] | undefined {
  const sdk = sdks[service];
  if (sdk === undefined) return otherAws[`${service} ${operation}`];
  const name = operation.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
  const call = sdk[`${name}$`] as readonly unknown[] | undefined;
  if (call === undefined) return undefined;
  const input = call[4] as unknown;
  const shape = (typeof input === "function" ? input() : input) as readonly unknown[];
  const members = shape[4] as readonly string[];
  return members.map(
    (member) => `--${member.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-").toLowerCase()}`,
  );
}
