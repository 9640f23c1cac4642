import { setTimeout as sleep } from "node:timers/promises";
import { EC2Client, paginateDescribeInstanceTypes } from "@aws-sdk/client-ec2";
import type { Control, StagedInstance } from "../../aws/control.ts";
import type { ApiClient } from "../controller/api-client.ts";
import { type NodeConfig, readUserData } from "./read-user-data.ts";

export interface KubeletsOptions {
  readonly control: Control;
  readonly api: ApiClient;
  readonly endpoint: string;
  readonly region: string;
}

interface Size {
  readonly cores: number;
  readonly mebibytes: number;
  readonly arch: string;
}

const pollMs = 150;
/** What the kernel and the hypervisor keep. */
const memoryShare = 0.925;

/**
 * Plays the kubelets of machines: each joins the cluster with the labels and taints of its user data, and falls silent
 * when its machine is gone. Its pods are run by kwok.
 */
export class Kubelets {
  readonly #options: KubeletsOptions;
  readonly #sizes: Promise<ReadonlyMap<string, Size>>;
  readonly #joined = new Map<string, string>();
  readonly #refused = new Map<string, string>();
  #isStopped = false;
  #running: Promise<void> | undefined;

  constructor(options: KubeletsOptions) {
    this.#options = options;
    this.#sizes = readSizes(options);
  }

  /** What is wrong with the user data of machines. */
  get problems(): readonly string[] {
    return [...this.#refused].map(([id, words]) => `the machine ${id} cannot join: ${words}`);
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      for (const instance of await this.#options.control.instances()) {
        if (instance.state === "running") await this.#join(instance);
        else if (instance.state !== "pending") await this.#fallSilent(instance);
      }
      await sleep(pollMs);
    }
  }

  async #join(instance: StagedInstance): Promise<void> {
    if (this.#joined.has(instance.id) || this.#refused.has(instance.id)) return;
    try {
      const config = readUserData(instance.userData);
      const size = (await this.#sizes).get(instance.instanceType);
      if (size === undefined) throw new Error(`nobody knows the type ${instance.instanceType}`);
      const { status, text } = await this.#options.api.send("POST", "/api/v1/nodes", nodeOf(instance, config, size));
      // Its address was that of a machine whose node is still there.
      if (status === 409) return;
      if (status >= 300) throw new Error(text);
      this.#joined.set(instance.id, instance.privateDnsName);
    } catch (cause) {
      this.#refused.set(instance.id, cause instanceof Error ? cause.message : String(cause));
    }
  }

  /** Its node is no longer ready, and nobody runs its pods. */
  async #fallSilent({ id }: StagedInstance): Promise<void> {
    const name = this.#joined.get(id);
    if (name === undefined) return;
    this.#joined.delete(id);
    const path = `/api/v1/nodes/${name}`;
    const { api } = this.#options;
    if ((await api.find(path)) === undefined) return;
    await api.send("PATCH", path, { metadata: { annotations: { "kwok.x-k8s.io/node": null } } });
    const conditions = [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", message: "it is gone" }];
    await api.send("PATCH", `${path}/status`, { status: { conditions } });
  }
}

function nodeOf(instance: StagedInstance, config: NodeConfig, size: Size): object {
  const memory = Math.floor(size.mebibytes * memoryShare);
  const reservedMemory = Number.parseInt(config.kubeReserved.memory ?? "0", 10);
  const reservedCores = Number.parseInt(config.kubeReserved.cpu ?? "0", 10);
  const shared = { "ephemeral-storage": "20Gi", pods: String(config.maxPods) };
  return {
    metadata: {
      name: instance.privateDnsName,
      annotations: { "kwok.x-k8s.io/node": "fake" },
      labels: {
        ...config.labels,
        "kubernetes.io/hostname": instance.privateDnsName,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": size.arch,
        // Those that the cloud controller manager adds.
        "node.kubernetes.io/instance-type": instance.instanceType,
        "topology.kubernetes.io/zone": instance.zone,
        "topology.kubernetes.io/region": instance.zone.slice(0, -1),
      },
    },
    spec: { providerID: `aws:///${instance.zone}/${instance.id}`, taints: config.taints },
    status: {
      capacity: { cpu: String(size.cores), memory: `${memory}Mi`, ...shared },
      allocatable: {
        cpu: `${size.cores * 1000 - reservedCores}m`,
        memory: `${memory - reservedMemory - 100}Mi`,
        ...shared,
        "ephemeral-storage": "17Gi",
      },
      addresses: [{ type: "InternalIP", address: instance.privateIpAddress }],
      nodeInfo: { architecture: size.arch, operatingSystem: "linux" },
    },
  };
}

async function readSizes({ endpoint, region }: KubeletsOptions): Promise<ReadonlyMap<string, Size>> {
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = new EC2Client({ endpoint, region, credentials });
  const sizes = new Map<string, Size>();
  for await (const { InstanceTypes = [] } of paginateDescribeInstanceTypes({ client, pageSize: 100 }, {})) {
    for (const { InstanceType = "", VCpuInfo, MemoryInfo, ProcessorInfo } of InstanceTypes) {
      sizes.set(InstanceType, {
        cores: VCpuInfo?.DefaultVCpus ?? 0,
        mebibytes: MemoryInfo?.SizeInMiB ?? 0,
        arch: ProcessorInfo?.SupportedArchitectures?.includes("arm64") ? "arm64" : "amd64",
      });
    }
  }
  client.destroy();
  return sizes;
}
