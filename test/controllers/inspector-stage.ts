import { Accountant } from "../../src/controllers/accountant/accountant.ts";
import { Inspector } from "../../src/controllers/inspector/inspector.ts";
import { nodeClaims, nodePools } from "../../src/core/api/karpenter-resources.ts";
import { findCondition } from "../../src/core/model/condition.ts";
import type { InstanceType } from "../../src/core/model/instance-type.ts";
import type { CloudProvider } from "../../src/ports/cloud-provider.ts";
import { orThrow } from "../../src/runtime/kube-client.ts";
import type { Wire } from "../support/builders.ts";
import { ControllerBench, kwokNodeClass, noCloud } from "../support/controller-bench.ts";

const nodeClassRef = { group: kwokNodeClass.group, kind: kwokNodeClass.kind, name: "default" };

/** Claims of a pool, and an inspector that says what is the matter with them. */
export class InspectorStage extends ControllerBench {
  /** What the cloud sells. */
  instanceTypes: readonly InstanceType[] = [];
  /** What the cloud says of every claim. */
  driftReason: () => Promise<string> = async () => "";
  readonly asked = { instanceTypes: 0, driftReason: 0 };

  readonly cloud: CloudProvider = {
    ...noCloud,
    instanceTypes: async () => {
      this.asked.instanceTypes++;
      return this.instanceTypes;
    },
    driftReason: () => {
      this.asked.driftReason++;
      return this.driftReason();
    },
  };

  constructor() {
    super();
    const { group, version, kind } = kwokNodeClass;
    this.load({ apiVersion: `${group}/${version}`, kind, metadata: { name: "default" } });
  }

  /** An inspector, beside an accountant who stamps the pool. */
  async start(): Promise<Inspector> {
    await this.observe();
    const { cluster, kube, clock, telemetry, cloud } = this;
    this.run(new Accountant({ cluster, kube, clock, telemetry, cloud }));
    const inspector = this.startInspector();
    await clock.advance(100);
    return inspector;
  }

  startInspector(): Inspector {
    const { cluster, kube, clock, telemetry, cloud } = this;
    return this.run(new Inspector({ cluster, kube, clock, telemetry, cloud }));
  }

  addPool(fields: PoolFields = {}): void {
    const { metadata, requirements = [], template = {}, ...spec } = fields;
    this.load({
      apiVersion: "karpenter.sh/v1",
      kind: "NodePool",
      metadata: { name: "web", ...metadata },
      spec: {
        limits: { cpu: "100" },
        disruption: { consolidateAfter: "Never" },
        template: { ...template, spec: { nodeClassRef, requirements } },
        ...spec,
      },
    });
  }

  async changePool(body: Wire): Promise<void> {
    orThrow(await this.user.patch(nodePools, { name: "web" }, { body }), "change the pool");
    await this.clock.advance(1_000);
  }

  /** A claim whose machine runs, since now. */
  addClaim(name: string, { labels, status, conditions, ...metadata }: ClaimFields = {}): void {
    const types = conditions ?? ["Launched", "Registered", "Initialized"];
    const at = new Date(this.clock.now()).toISOString();
    this.load({
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: { name, labels: { "karpenter.sh/nodepool": "web", ...labels }, creationTimestamp: at, ...metadata },
      spec: { nodeClassRef, requirements: [] },
      status: {
        providerID: `test:///${name}`,
        conditions: types.map((type) => ({ type, status: "True", reason: type, message: "", lastTransitionTime: at })),
        ...status,
      },
    });
  }

  async changeStatus(name: string, status: Wire): Promise<void> {
    orThrow(await this.user.patch(nodeClaims, { name, subresource: "status" }, { body: { status } }), "change a claim");
    await this.clock.advance(0);
  }

  /** The reason, or undefined where there is no such condition. */
  condition(type: string, name = "a"): string | undefined {
    const claim = this.cluster.claims.get(name);
    const condition = claim && findCondition(claim, type);
    return condition === undefined ? undefined : `${condition.status} ${condition.reason}`;
  }
}

/** Fields that are not named here go into the pool's spec. */
export interface PoolFields extends Wire {
  readonly metadata?: Wire;
  readonly requirements?: readonly Wire[];
  readonly template?: Wire;
}

/** Fields that are not named here go into the claim's metadata. */
export interface ClaimFields extends Wire {
  readonly labels?: Record<string, string>;
  readonly status?: Wire;
  /** Those that are true. */
  readonly conditions?: readonly string[];
}
