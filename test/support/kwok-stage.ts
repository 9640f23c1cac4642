import { KwokProvider } from "../../src/adapters/kwok/kwok-provider.ts";
import { loadInstanceTypes } from "../../src/adapters/kwok/load-instance-types.ts";
import { wireTime } from "../../src/adapters/kwok/make-node.ts";
import { kwokNodeClasses } from "../../src/adapters/kwok/node-class.ts";
import { customResourceDefinitions } from "../../src/core/api/definitions/custom-resource-definitions.ts";
import { nodeClaims } from "../../src/core/api/karpenter-resources.ts";
import { describeProblem } from "../../src/core/api/problem.ts";
import { readNodeClaim } from "../../src/core/api/read-node-claim.ts";
import type { InstanceType } from "../../src/core/model/instance-type.ts";
import type { NodeClaim } from "../../src/core/model/node-claim.ts";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import type { Log } from "../../src/ports/telemetry.ts";
import { KubeClient, orThrow } from "../../src/runtime/kube-client.ts";
import { apiVersionOf, type KubeObject } from "../../src/runtime/kube-object.ts";
import { nodes } from "../../src/runtime/resources.ts";
import type { Wire } from "./builders.ts";
import { loadObjects } from "./load-objects.ts";

/** For faults that strike the creation of nodes. */
export const nodeCreations = { methods: ["POST"], path: /\/nodes$/ };

const generic = loadInstanceTypes({ builtIn: "generic" });

export interface StageOptions {
  /** Of the node class `default`. */
  readonly nodeRegistrationDelay?: string;
  readonly instanceTypes?: readonly InstanceType[];
}

/** A cluster under virtual time with a KWOK provider and a node class. */
export class KwokStage {
  readonly clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  readonly cluster = new EmbeddedCluster({ clock: this.clock, seed: 1 });
  readonly kube = new KubeClient({ transport: this.cluster.transport });
  readonly nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
  /** What the provider had to complain of. */
  readonly complaints: string[] = [];
  readonly #options: StageOptions;
  readonly #providers: KwokProvider[] = [];
  #provider: KwokProvider;

  constructor(options: StageOptions = {}) {
    this.#options = options;
    const { nodeRegistrationDelay } = options;
    loadObjects(this.cluster, customResourceDefinitions);
    const spec = nodeRegistrationDelay === undefined ? {} : { nodeRegistrationDelay };
    const nodeClass = { apiVersion: apiVersionOf(kwokNodeClasses), kind: "KWOKNodeClass" };
    loadObjects(this.cluster, [{ ...nodeClass, metadata: { name: "default" }, spec }]);
    this.#provider = this.#open();
  }

  get provider(): KwokProvider {
    return this.#provider;
  }

  /** Another process takes over, which knows nothing but what the API says. */
  crash(): void {
    this.#provider.stop();
    this.#provider = this.#open();
  }

  async createClaim(name: string, fields: Wire = {}): Promise<NodeClaim> {
    const { labels, annotations, ...spec } = fields;
    const { nodeClassRef } = this;
    const body = {
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: { name, labels, annotations },
      spec: { nodeClassRef, requirements: [], ...spec },
    };
    return claimOf(orThrow(await this.kube.create(nodeClaims, body), `create claim ${name}`));
  }

  /** Writes what a launch brings into the status of the claim. */
  async recordLaunch(name: string, providerID: string): Promise<void> {
    const lastTransitionTime = wireTime(this.clock.now());
    const launched = { type: "Launched", status: "True", reason: "Launched", message: "", lastTransitionTime };
    const body = { status: { providerID, conditions: [launched] } };
    orThrow(await this.kube.patch(nodeClaims, { name, subresource: "status" }, { body }), `launch claim ${name}`);
  }

  /** Lets every machine boot that has been launched. */
  async settle(): Promise<void> {
    await this.clock.advance(120_000);
  }

  async setNodeClassConditions(conditions: readonly Wire[]): Promise<void> {
    const lastTransitionTime = wireTime(this.clock.now());
    const body = { status: { conditions: conditions.map((condition) => ({ lastTransitionTime, ...condition })) } };
    const target = { name: "default", subresource: "status" } as const;
    orThrow(await this.kube.patch(kwokNodeClasses, target, { body }), "change the node class");
  }

  nodes(): Promise<readonly KubeObject[]> {
    return this.kube.list(nodes);
  }

  stop(): void {
    for (const provider of this.#providers) provider.stop();
    this.cluster.stop();
  }

  #open(): KwokProvider {
    const { kube, clock, cluster } = this;
    const provider = new KwokProvider({
      kube,
      clock,
      random: () => cluster.random(),
      instanceTypes: this.#options.instanceTypes ?? generic,
      log: logInto(this.complaints),
    });
    this.#providers.push(provider);
    return provider;
  }
}

export function claimOf(wire: unknown): NodeClaim {
  const read = readNodeClaim(wire);
  if (read.problems !== undefined) throw new Error(read.problems.map(describeProblem).join(" "));
  return read.value;
}

function logInto(complaints: string[]): Log {
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message, fields = {}) => {
      const { error } = fields;
      complaints.push(error instanceof Error ? `${message}: ${error.message}` : message);
    },
    with: () => log,
  };
  return log;
}
