import type { Telling } from "./telling.ts";

type Fields = Readonly<Record<string, unknown>>;
type Words = Pick<Telling, "tone" | "text" | "group" | "sameAs">;

/** What every line says of itself, and what says nothing to people. */
const frame: ReadonlySet<string> = new Set([
  "level",
  "time",
  "logger",
  "commit",
  "message",
  "controller",
  "stack",
  "taint.Key",
  "taint.Value",
  "taint.Effect",
  "provider-id",
  "allocatable",
]);

/** What a line of the controller's log tells people; undefined when another line says it better. */
export function readLogLine(line: string): Telling | undefined {
  const fields = JSON.parse(line) as Fields;
  const words = wordsFor(fields);
  return words === undefined ? undefined : { at: Date.parse(String(fields.time)), ...words };
}

function wordsFor(fields: Fields): Words | undefined {
  const [claim, node, pool] = ["NodeClaim", "Node", "NodePool"].map((key) => nameIn(fields[key]));
  switch (fields.message) {
    case "found provisionable pod(s)":
      return undefined;
    case "computed new nodeclaim(s) to fit pod(s)": {
      const plan = `planned ${count(fields.nodeclaims, "node")} for ${count(fields.pods, "pod")}`;
      const least = fields["least-cost-per-hour"];
      const atLeast = least === undefined ? "" : `; no plan costs less than ${price(least)}`;
      return { tone: "plain", text: `${plan} at ${price(fields["cost-per-hour"])}${atLeast}` };
    }
    case "created nodeclaim":
      return { tone: "good", text: `created ${claim} for ${count(fields.pods, "pod")}: ${choiceIn(fields)}` };
    case "launched nodeclaim":
      return {
        tone: "plain",
        text: `launched ${claim}: ${fields["instance-type"]}, ${fields["capacity-type"]}, ${fields.zone}`,
        group: { key: "launched", describe: (machines) => `launched ${machines} machines` },
      };
    case "registered nodeclaim":
      return undefined;
    case "initialized nodeclaim":
      return {
        tone: "good",
        text: `node ${node} is ready`,
        group: { key: "ready", describe: (nodes) => `${nodes} nodes are ready` },
      };
    case "could not schedule pod":
      return refusal(fullNameIn(fields.Pod), String(fields.reason));
    case "deleted expired nodeclaim":
      return { tone: "warning", text: `deleting ${claim}: it has expired` };
    case "disrupting node(s)":
      return { tone: "warning", text: disruption(fields) };
    case "failed disrupting node(s), which stay":
      return {
        tone: "bad",
        text: `${(fields.nodes as readonly string[]).join(", ")} can not go after all: ${fields.error}`,
      };
    case "tainted node":
      return { tone: "warning", text: `draining node ${node}: no new pods, and those on it are evicted` };
    case "deleted node":
      return { tone: "plain", text: `deleted node ${node}: it is drained, and its machine is gone` };
    case "deleted nodeclaim":
      return { tone: "plain", text: `deleted ${claim}` };
    case "making nodes for a static pool":
      return { tone: "plain", text: `making ${count(fields.allowed, "node")} for the static pool ${pool}` };
    case "successfully acquired lease":
      return { tone: "plain", text: "the controller has got the lease" };
    case "leading":
      return {
        tone: "plain",
        text: `the controller is at work: it sees ${count(fields.nodes, "node")} and ${count(fields.pods, "pod")}`,
      };
    case "stopped leading":
      return fields.reason === "stopping"
        ? { tone: "plain", text: "the controller stops, and gives the lease back" }
        : { tone: "warning", text: `the controller no longer leads: ${fields.reason}` };
    case "a NodePool cannot be used":
      return { tone: "bad", text: `NodePool ${pool} cannot be used: ${withoutPrefix(fields.problem, pool)}` };
    case "a NodePool is probably not what was meant":
      return { tone: "warning", text: `NodePool ${pool}: ${withoutPrefix(fields.warning, pool)}` };
    default:
      return { tone: fields.level === "ERROR" ? "bad" : "plain", text: anyLine(fields) };
  }
}

/** Pods of one workload that are refused for the same reason are one line. */
function refusal(pod: string, reason: string): Words {
  const workload = workloadOf(pod);
  return {
    tone: "bad",
    text: `no node for pod ${pod}: ${reason}`,
    // The reason tells of limits and the like, which change all the time.
    sameAs: `refusal/${pod}`,
    group: {
      key: `refusal/${workload}`,
      describe: (pods) => `no node for ${pods} pods of ${workload}: ${reason}`,
    },
  };
}

/** The name without what its ReplicaSet or Job added, as far as a name can tell. */
export function workloadOf(podName: string): string {
  return podName.replace(/(-[bcdf-hj-np-tv-z2-9]{5,10})?-[bcdf-hj-np-tv-z2-9]{5}$/, "");
}

/** Which nodes go, and what for. */
function disruption(fields: Fields): string {
  const nodes = (fields["disrupted-nodes"] as readonly Fields[]).map((node) => nameIn(node.Node));
  const replacements = Number(fields["replacement-node-count"]);
  const saved = fields["savings-per-hour"];
  return [
    `${fields.reason}: ${nodes.length === 1 ? "node" : `${nodes.length} nodes`} ${nodes.join(", ")} can go`,
    replacements === 0 ? "" : `, ${count(replacements, "node")} in place of ${nodes.length === 1 ? "it" : "them"}`,
    saved === undefined ? "" : `, which saves ${price(saved)}`,
    fields["pod-count"] === 0 ? "" : ` and moves ${count(fields["pod-count"], "pod")}`,
  ].join("");
}

function choiceIn(fields: Fields): string {
  const parts = [fields["planned-instance-type"], fields["planned-capacity-type"], fields["planned-zone"]];
  const others = typesIn(fields["instance-types"]);
  const them = fields.pods === 1 ? "it" : "them";
  const why = others > 1 ? `, the cheapest of ${others} types that hold ${them}` : `, the only type that holds ${them}`;
  return `${parts.join(", ")}, ${price(fields["price-per-hour"])}${why}`;
}

/** How many a list such as `a, b and 3 other(s)` names. */
function typesIn(list: unknown): number {
  const [, named = "", rest = "0"] = /^(.*?)(?: and (\d+) other\(s\))?$/.exec(String(list ?? "")) ?? [];
  return named.split(", ").length + Number(rest);
}

function anyLine(fields: Fields): string {
  const said = Object.entries(fields)
    .filter(([key]) => !frame.has(key))
    .map(([key, value]) => `${key}=${fullNameIn(value) || String(value)}`);
  return [String(fields.message), ...said].join("  ");
}

/** A message may say itself whom it is about. */
function withoutPrefix(message: unknown, pool: string | undefined): string {
  return String(message).replace(`NodePool ${pool}: `, "");
}

function nameIn(value: unknown): string {
  return String((value as { name?: unknown } | undefined)?.name ?? "");
}

function fullNameIn(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  const { namespace, name } = value as { namespace?: string; name?: string };
  if (name === undefined) return JSON.stringify(value);
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function price(dollars: unknown): string {
  return `$${Number(dollars).toFixed(3)}/h`;
}

function count(number: unknown, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}
