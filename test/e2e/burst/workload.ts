import { readFileSync } from "node:fs";
import { apart, generateScenario, spread } from "../../../bench/scenarios.ts";
import { archLabel, capacityTypeLabel, hostLabel, type PodSpec, zoneLabel } from "../../../bench/wire.ts";

export interface BurstManifests {
  /** The pool that most users have, its node class, and a node that is there before, where such a controller runs. */
  readonly cluster: string;
  readonly pods: string;
  readonly podCount: number;
}

type Rules = Omit<PodSpec, "containers">;

const rulesByName: Readonly<Record<string, (app: string) => Rules>> = {
  "": () => ({}),
  "must-spread": (app) => spread(zoneLabel, { app }),
  "should-spread": (app) => spread(zoneLabel, { app }, "ScheduleAnyway"),
  apart: (app) => apart(hostLabel, { app }),
  zone: () => ({ nodeSelector: { [zoneLabel]: "us-west-2a" } }),
  "on-demand": () => ({ nodeSelector: { [capacityTypeLabel]: "on-demand" } }),
  arm64: () => ({ nodeSelector: { [archLabel]: "arm64" } }),
};

/** A thousand pods of the `fleet` kind, those of `fleet.csv`, for kubectl. */
export function burstManifests(): BurstManifests {
  const { nodePools } = generateScenario({ kind: "fleet", pods: 1, seed: 1, isTypical: true });
  const nodeClass = { apiVersion: "karpenter.kwok.sh/v1alpha1", kind: "KWOKNodeClass", metadata: { name: "default" } };
  const pods = readFleet().map((fields, index) => podOf(`p-${index}`, fields));
  return { cluster: listOf([nodeClass, ...nodePools, systemNode()]), pods: listOf(pods), podCount: pods.length };
}

function readFleet(): string[][] {
  const [, ...lines] = readFileSync(new URL("./fleet.csv", import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.flatMap((line) => {
    const fields = line.split(",");
    return Array.from({ length: Number(fields[1]) }, () => fields);
  });
}

function podOf(name: string, [app = "", , cpu, memory, rule = ""]: readonly string[]): object {
  const rules = rulesByName[rule];
  if (rules === undefined) throw new Error(`No rule is called "${rule}"`);
  const resources = { requests: { cpu: `${cpu}m`, memory: `${memory}Mi` } };
  const containers = [{ name: "c", image: "pause", resources }];
  const metadata = { name, namespace: "default", labels: { app } };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { containers, ...rules(app) } };
}

function systemNode(): object {
  const resources = { cpu: "4", memory: "16Gi", pods: "110" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "system", annotations: { "kwok.x-k8s.io/node": "fake" }, labels: { [hostLabel]: "system" } },
    spec: { taints: [{ key: "CriticalAddonsOnly", effect: "NoSchedule" }] },
    status: { capacity: resources, allocatable: resources },
  };
}

function listOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}
