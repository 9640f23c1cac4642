import { Launcher } from "../../src/controllers/launcher/launcher.ts";
import { Registrar } from "../../src/controllers/registrar/registrar.ts";
import { nodeClaims, nodePools } from "../../src/core/api/karpenter-resources.ts";
import { findCondition } from "../../src/core/model/condition.ts";
import type { InstanceType } from "../../src/core/model/instance-type.ts";
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "../../src/core/model/labels.ts";
import type { NodeClaim } from "../../src/core/model/node-claim.ts";
import type { NodeObject } from "../../src/core/model/node-object.ts";
import type { Fault } from "../../src/embedded/faults/fault.ts";
import type { CloudProvider, Instance, InstanceIdentity, LaunchOutcome } from "../../src/ports/cloud-provider.ts";
import { orThrow } from "../../src/runtime/kube-client.ts";
import type { KubeObject } from "../../src/runtime/kube-object.ts";
import { nodes } from "../../src/runtime/resources.ts";
import type { Wire } from "./builders.ts";
import { ControllerBench, kwokNodeClass, noCloud } from "./controller-bench.ts";

const nodeClassRef = { group: kwokNodeClass.group, kind: kwokNodeClass.kind, name: "default" };
const unregistered = { key: "karpenter.sh/unregistered", effect: "NoExecute" };

/** Has a machine for every claim, the same one whenever it is asked, unless a test lets it answer otherwise. */
class StageCloud {
  readonly machines = new Map<string, Instance>();
  readonly terminated: InstanceIdentity[] = [];
  launches = 0;
  instanceTypes: readonly InstanceType[] = [];
  /** Asked first; undefined lets the launch go on. */
  answer: (claim: NodeClaim) => Promise<LaunchOutcome | undefined> = async () => undefined;

  readonly provider: CloudProvider = {
    ...noCloud,
    instanceTypes: async () => this.instanceTypes,
    launch: async (claim) => {
      this.launches++;
      return (await this.answer(claim)) ?? { kind: "launched", instance: this.#machineOf(claim) };
    },
    terminate: async (instance) => {
      this.terminated.push(instance);
      return "gone";
    },
  };

  #machineOf({ name, uid }: NodeClaim): Instance {
    const known = this.machines.get(uid);
    if (known !== undefined) return known;
    const machine: Instance = {
      providerId: `test://${name}`,
      claimName: name,
      imageId: "image-1",
      labels: new Map([
        [instanceTypeLabel, "m-4x"],
        [zoneLabel, "zone-a"],
        [capacityTypeLabel, "spot"],
        ["example.com/team", "cloud"],
      ]),
      annotations: new Map([["example.com/order", "1"]]),
      capacity: new Map([
        ["cpu", 4000],
        ["memory", 2 ** 33],
      ]),
      allocatable: new Map([
        ["cpu", 3900],
        ["memory", 2 ** 32],
      ]),
      createdAt: 0,
      isTerminating: false,
    };
    this.machines.set(uid, machine);
    return machine;
  }
}

/** A launcher and a registrar on an embedded cluster whose nodes join when the test says so. */
export class LifecycleStage extends ControllerBench {
  readonly cloud = new StageCloud();
  /** Watches are opened once, so that faults of them have to be there from the beginning. */
  static async open(...faults: readonly Fault[]): Promise<LifecycleStage> {
    const stage = new LifecycleStage();
    for (const fault of faults) stage.embedded.faults.inject(fault);
    const nodeClass = { apiVersion: `${kwokNodeClass.group}/${kwokNodeClass.version}`, kind: kwokNodeClass.kind };
    stage.load({ ...nodeClass, metadata: { name: "default" } });
    await stage.observe();
    return stage;
  }

  launcher(): Launcher {
    return this.run(new Launcher({ ...this.#context() }));
  }

  registrar(): Registrar {
    return this.run(new Registrar({ ...this.#context() }));
  }

  #context() {
    const { cluster, kube, clock, telemetry } = this;
    return { cluster, kube, clock, telemetry, cloud: this.cloud.provider };
  }

  async createPool(name: string): Promise<void> {
    const template = { spec: { nodeClassRef, requirements: [] } };
    const body = { apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name }, spec: { template } };
    orThrow(await this.kube.create(nodePools, body), `create pool ${name}`);
    await this.clock.advance(0);
  }

  async createClaim(name: string, fields: Wire = {}): Promise<NodeClaim> {
    const { labels, annotations, finalizers, ...spec } = fields;
    const body = {
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: { name, labels, annotations, finalizers },
      spec: { nodeClassRef, requirements: [], ...spec },
    };
    orThrow(await this.kube.create(nodeClaims, body), `create claim ${name}`);
    await this.clock.advance(0);
    return this.claim(name);
  }

  /** The node of a machine registers itself; a kubelet runs it from then on. */
  async join(name: string, fields: Wire = {}): Promise<void> {
    const { claim = name, taints = [unregistered], labels, metadata = {} } = fields;
    const body = {
      metadata: { name, labels, ...(metadata as object) },
      spec: { providerID: `test://${claim}`, taints },
      status: { capacity: { cpu: "4", memory: "8Gi", pods: "110" } },
    };
    orThrow(await this.kube.create(nodes, body), `create node ${name}`);
    await this.clock.advance(0);
  }

  async patch(resource: typeof nodes, name: string, body: object): Promise<void> {
    orThrow(await this.kube.patch(resource, { name }, { body }), `patch ${name}`);
    await this.clock.advance(0);
  }

  claim(name: string): NodeClaim {
    const claim = this.cluster.claims.get(name);
    if (claim === undefined) throw new Error(`There is no claim ${name}`);
    return claim;
  }

  node(name: string): NodeObject {
    const node = this.cluster.nodes.get(name);
    if (node === undefined) throw new Error(`There is no node ${name}`);
    return node;
  }

  async wire(resource: typeof nodes, name: string): Promise<KubeObject> {
    return orThrow(await this.kube.get(resource, { name }), `get ${name}`);
  }

  /** As in `Launched=Unknown (LaunchFailed: no luck)`, in the order in which they come true. */
  conditions(name: string): string[] {
    const order = ["Launched", "Registered", "Initialized", "Ready"];
    const conditions = [...this.claim(name).conditions];
    return conditions.sort((left, right) => order.indexOf(left.type) - order.indexOf(right.type)).map(describe);
  }

  poolHealth(name: string): string {
    const pool = this.cluster.pools.get(name);
    const condition = pool && findCondition(pool.status, "NodeRegistrationHealthy");
    return condition === undefined ? "" : describe(condition);
  }

  get events(): string[] {
    return this.telemetry.happenings.map(
      ({ type, reason, object, message }) => `${type} ${reason} ${object.name}: ${message}`,
    );
  }

  get said(): string[] {
    return this.telemetry.lines.map(({ message }) => message);
  }

  /** Sums over all series of a metric that have these labels. */
  sum(metric: string, ...labels: string[]): number {
    let sum = 0;
    for (const [series, value] of this.telemetry.numbers) {
      if (series.startsWith(`${metric}{`) && labels.every((label) => series.includes(label))) sum += value;
    }
    return sum;
  }
}

/** The reason only where it says more than the type. */
function describe(condition: { type: string; status: string; reason: string; message: string }): string {
  const { type, status, reason, message } = condition;
  const why = [reason === type ? "" : reason, message].filter((part) => part !== "").join(": ");
  return `${type}=${status}${why === "" ? "" : ` (${why})`}`;
}
