import type { Control, RecordedCall, StagedInstance } from "../../aws/control.ts";
import type { Seeded } from "../../aws/seed.ts";
import type { NodeClaim } from "../controller/manifests.ts";
import { Scene, type Story } from "../controller/scene.ts";
import type { Kubelets } from "./kubelets.ts";

export interface Account {
  readonly seeded: Seeded;
  readonly control: Control;
  readonly kubelets: Kubelets;
  /** Another release of images, to which the alias moves. */
  releaseImages(version: string): Promise<Seeded["imageIds"]>;
  /** To the interruption queue. */
  sendMessage(body: unknown): Promise<void>;
  /** Those that are there already stay. */
  makeNodeRole(name: string): Promise<void>;
  makeInstanceProfile(name: string): Promise<void>;
}

export interface AwsStory extends Omit<Story, "play"> {
  play(scene: AwsScene): Promise<void>;
}

export interface MachineWishes {
  /** All when left out. */
  readonly instanceTypes?: readonly string[];
  /** `on-demand` when left out. */
  readonly capacityTypes?: readonly string[];
  /** All when left out. */
  readonly zones?: readonly string[];
  readonly disruption?: object;
  /** `default` when left out. */
  readonly nodeClass?: string;
}

const nodeClassName = "default";

export function ec2NodeClass({ clusterName, roleName }: Seeded) {
  const terms = [{ tags: { "karpenter.sh/discovery": clusterName } }];
  return {
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: nodeClassName },
    spec: {
      role: roleName,
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      subnetSelectorTerms: terms,
      securityGroupSelectorTerms: terms,
    },
  };
}

/** Where a story plays that is about machines of AWS. */
export class AwsScene extends Scene {
  readonly account: Account;
  readonly #begun = Date.now();

  constructor(name: string, parts: ConstructorParameters<typeof Scene>[1] & { readonly account: Account }) {
    super(name, parts);
    this.account = parts.account;
  }

  override async close(): Promise<void> {
    await this.account.control.clearFaults();
    await this.account.control.clearPools();
    await super.close();
  }

  async addMachinePool(name: string, wishes: MachineWishes): Promise<void> {
    const { instanceTypes, capacityTypes = ["on-demand"], zones, disruption, nodeClass = nodeClassName } = wishes;
    const isOneOf = (key: string, values: readonly string[]) => ({ key, operator: "In", values });
    await this.addPool(name, {
      spec: {
        nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: nodeClass },
        requirements: [
          ...(instanceTypes === undefined ? [] : [isOneOf("node.kubernetes.io/instance-type", instanceTypes)]),
          isOneOf("karpenter.sh/capacity-type", capacityTypes),
          ...(zones === undefined ? [] : [isOneOf("topology.kubernetes.io/zone", zones)]),
        ],
      },
    });
    if (disruption !== undefined) {
      await this.api.patch(`/apis/karpenter.sh/v1/nodepools/${name}`, { spec: { disruption } });
    }
  }

  /** All that a pool ever had. */
  async machines(pool: string): Promise<readonly StagedInstance[]> {
    return (await this.account.control.instances()).filter(({ tags }) => tags["karpenter.sh/nodepool"] === pool);
  }

  async liveMachines(pool: string): Promise<readonly StagedInstance[]> {
    return (await this.machines(pool)).filter(({ state }) => state === "pending" || state === "running");
  }

  /** Calls of an action since the story began that are about a pool or a machine, by any of their parameters. */
  async callsAbout(action: string, words: string): Promise<readonly RecordedCall[]> {
    const calls = await this.account.control.calls(action);
    return calls.filter(({ at, params }) => at >= this.#begun && Object.values(params).includes(words));
  }

  untilReady(pool: string, count: number): Promise<readonly NodeClaim[]> {
    return this.until(`${count} claims of ${pool} are ready`, async () => {
      const claims = await this.claims(pool);
      return claims.length === count && claims.every(isReady) && claims;
    });
  }

  /** Each claim has its one machine, and each machine its claim. */
  async untilSettled(pool: string): Promise<readonly StagedInstance[]> {
    return await this.until(`every machine of ${pool} has its claim, and every claim its machine`, async () => {
      const [claims, machines] = await Promise.all([this.claims(pool), this.liveMachines(pool)]);
      const ofClaims = claims.map(({ status }) => status?.providerID?.split("/").at(-1) ?? "").sort();
      const ofMachines = machines.map(({ id }) => id).sort();
      return ofClaims.join() === ofMachines.join() && machines;
    });
  }
}

export function isReady({ metadata, status }: NodeClaim): boolean {
  const condition = status?.conditions?.find(({ type }) => type === "Ready");
  return metadata.deletionTimestamp === undefined && condition?.status === "True";
}

export function machineOf({ status }: NodeClaim): string {
  return status?.providerID?.split("/").at(-1) ?? "";
}
