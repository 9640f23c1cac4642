import type { Plan, Scenario } from "../wire.ts";
import type { CaseLine, Score } from "./lines.ts";

/** A batch and what the planners made of it, for people. */
export function describeCase(
  scenario: Scenario,
  line: CaseLine,
  plans: { ours: Plan; peer: Plan | undefined },
): string {
  const peer = plans.peer === undefined || line.peer === null ? [] : describePlan("peer", line.peer, plans.peer);
  return [
    `${scenario.name}: ${line.pods} pods, ${line.nodes} nodes, pools ${scenario.nodePools.map(({ metadata }) => metadata.name).join(", ")}`,
    ...describePods(scenario),
    ...describePlan("ours", line.ours, plans.ours),
    ...peer,
    `optimum: ${line.optimum === null ? "not proved" : dollars(line.optimum)}`,
  ].join("\n");
}

function describePods({ pods, objects = [] }: Scenario): string[] {
  const running = objects.filter((object) => object.kind === "Pod");
  const byTemplate = Map.groupBy(pods, ({ metadata, spec }) => JSON.stringify([metadata.labels, spec]));
  return [...byTemplate.values()].map((members) => {
    const [{ metadata, spec } = { metadata: {}, spec: undefined }] = members;
    const { containers = [], ...rules } = spec ?? {};
    const app = metadata.labels?.app;
    const others = running.filter((pod) => pod.metadata.labels?.app === app).length;
    const requests = containers.map(({ resources }) => Object.values(resources?.requests ?? {}).join(" ")).join();
    return `  ${members.length} of ${app} beside ${others}: ${requests} ${JSON.stringify(rules)}`;
  });
}

function describePlan(name: string, score: Score, { nodes, placements = [], unschedulable = [] }: Plan): string[] {
  const { milliseconds, costPerHour, leftOver, violations, examples = [], preferencesHonoured } = score;
  const onExisting = placements.reduce((sum, { pods }) => sum + pods.length, 0);
  const preferences = preferencesHonoured === null ? "" : `, preferences ${preferencesHonoured}`;
  return [
    `${name}: ${milliseconds} ms, ${dollars(costPerHour)}, ${nodes.length} new nodes, ${onExisting} pods on existing ones, ${leftOver} left over, ${violations} violations${preferences}`,
    ...nodes.map(
      ({ instanceType, zone, capacityType, pricePerHour, pods }) =>
        `  ${instanceType} ${zone} ${capacityType} ${dollars(pricePerHour)}: ${pods.map(shortName).join(" ")}`,
    ),
    ...placements.map(({ node, pods }) => `  ${node}: ${pods.map(shortName).join(" ")}`),
    ...unschedulable.map(({ pod, reason }) => `  left over: ${shortName(pod)}: ${reason}`),
    ...examples.map((example) => `  ${example}`),
  ];
}

function shortName(pod: string): string {
  return pod.replace(/^default\//, "");
}

function dollars(amount: number): string {
  return `$${amount.toFixed(5)}/h`;
}
