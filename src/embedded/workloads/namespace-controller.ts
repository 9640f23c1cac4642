import type { Namespace, ServiceAccount } from "kubernetes-types/core/v1.js";
import type { ControlLoop } from "../control-loop.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import { timestamp } from "../timestamp.ts";
import { ignoringAbsence } from "./owner-graph.ts";
import { Resource, type Stored } from "./resource.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

const retryMilliseconds = 2000;

/** Gives every namespace its service account, and empties namespaces that are to go. */
export class NamespaceController implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #namespaces: Resource<Namespace>;
  readonly #accounts: Resource<ServiceAccount>;
  readonly #loop: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext) {
    this.#context = context;
    this.#namespaces = new Resource<Namespace>(context.api, "", "namespaces");
    this.#accounts = new Resource<ServiceAccount>(context.api, "", "serviceaccounts");
    this.#loop = controlLoop(context, "namespace", (name) => this.#reconcile(name));
    this.#stops = [
      this.#namespaces.subscribe(({ object }) => this.#loop.enqueue(object.metadata.name)),
      this.#accounts.subscribe(({ type, object }) => {
        if (type === "DELETED") this.#loop.enqueue(object.metadata.namespace ?? "");
      }),
    ];
    for (const { metadata } of this.#namespaces.list()) this.#loop.enqueue(metadata.name);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#loop.stop();
  }

  #reconcile(name: string): void {
    const namespace = this.#namespaces.find(name);
    if (namespace === undefined) return;
    if (namespace.metadata.deletionTimestamp === undefined) this.#giveAccount(name);
    else this.#empty(namespace);
  }

  #giveAccount(namespace: string): void {
    if (this.#accounts.find(`${namespace}/default`) !== undefined) return;
    this.#accounts.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } }, namespace);
  }

  #empty(namespace: Stored<Namespace>): void {
    const { name } = namespace.metadata;
    const remaining = this.#resources().flatMap((definition) => this.#deleteAll(definition, name));
    if (remaining.length === 0) {
      const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== "kubernetes");
      ignoringAbsence(() => this.#namespaces.finalize(namespace, (current) => ({ ...current, spec: { finalizers } })));
      return;
    }
    const conditions = conditionsFor(namespace, remaining, timestamp(this.#context.clock.now()));
    this.#namespaces.writeStatus(namespace, { ...namespace.status, phase: "Terminating", conditions });
    this.#loop.enqueue(name, retryMilliseconds);
  }

  #resources(): ResourceDefinition[] {
    const definitions = this.#context.api.registry
      .all()
      .filter(
        ({ isNamespaced, storedAs, verbs }) =>
          isNamespaced && storedAs === undefined && verbs?.includes("delete") !== false,
      );
    // Pods go after their controllers, which would only make new ones.
    return definitions.sort((a, b) => Number(a.kind === "Pod") - Number(b.kind === "Pod"));
  }

  /** Deletes what there is of a resource, and returns what is still there. */
  #deleteAll(definition: ResourceDefinition, namespace: string): Remainder[] {
    const { api } = this.#context;
    const collection = api.collection(definition);
    for (const { metadata } of [...collection.list(`${namespace}/`)]) {
      if (metadata.deletionTimestamp !== undefined) continue;
      ignoringAbsence(() =>
        api.delete({ definition, namespace, name: metadata.name }, { propagationPolicy: "Background" }),
      );
    }
    return [...collection.list(`${namespace}/`)].map((object) => ({ definition, object }));
  }
}

interface Remainder {
  readonly definition: ResourceDefinition;
  readonly object: KubeObject;
}

function conditionsFor({ status }: Namespace, remaining: readonly Remainder[], now: string): object[] {
  const resources = countBy(remaining.map(({ definition }) => `${definition.plural}.${definition.group}`));
  const finalizers = countBy(remaining.flatMap(({ object }) => object.metadata.finalizers ?? []));
  const conditions = [
    ["NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered"],
    [
      "NamespaceDeletionGroupVersionParsingFailure",
      "False",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ],
    [
      "NamespaceDeletionContentFailure",
      "False",
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ],
    [
      "NamespaceContentRemaining",
      "True",
      "SomeResourcesRemain",
      `Some resources are remaining: ${list(resources, "has")}`,
    ],
    finalizers.size === 0
      ? [
          "NamespaceFinalizersRemaining",
          "False",
          "ContentHasNoFinalizers",
          "All content-preserving finalizers finished",
        ]
      : [
          "NamespaceFinalizersRemaining",
          "True",
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${list(finalizers, "in")}`,
        ],
  ];
  return conditions.map(([type = "", value, reason, message]) => {
    const before = status?.conditions?.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === value ? before?.lastTransitionTime : now;
    return { type, status: value, lastTransitionTime, reason, message };
  });
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function list(counts: ReadonlyMap<string, number>, word: string): string {
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${word} ${count} resource instances`)
    .join(", ");
}
