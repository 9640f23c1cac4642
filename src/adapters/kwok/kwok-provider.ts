import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import {
  instanceCpuLabel,
  instanceFamilyLabel,
  instanceMemoryLabel,
  instanceSizeLabel,
} from "../../core/api/kwok-labels.ts";
import { readNodeClaim } from "../../core/api/read-node-claim.ts";
import { findCondition, isConditionTrue } from "../../core/model/condition.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { Clock } from "../../ports/clock.ts";
import type {
  CloudProvider,
  Instance,
  InstanceIdentity,
  LaunchOutcome,
  RepairPolicy,
} from "../../ports/cloud-provider.ts";
import type { Log } from "../../ports/telemetry.ts";
import { type KubeAnswer, type KubeClient, orThrow, unless } from "../../runtime/kube-client.ts";
import type { KubeObject } from "../../runtime/kube-object.ts";
import { nodes } from "../../runtime/resources.ts";
import { nodeNameFor, nodeNameOf, providerIdOf } from "./machine-name.ts";
import { makeNode } from "./make-node.ts";
import { type KwokNodeClass, kwokNodeClasses, readNodeClass } from "./node-class.ts";
import { NodeClassStatus } from "./node-class-status.ts";
import { type Creation, NodeCreations } from "./node-creations.ts";
import { type Choice, Offerings } from "./offerings.ts";
import { readInstance } from "./read-instance.ts";

export interface KwokProviderOptions {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly instanceTypes: readonly InstanceType[];
  readonly log: Log;
}

const tenMinutes = 600_000;
const namedTypes = 5;

/** Machines that are nothing but Node objects, which kwok or an embedded cluster runs. */
export class KwokProvider implements CloudProvider {
  readonly name = "kwok";
  readonly nodeClassKinds = [kwokNodeClasses];
  readonly wellKnownLabels: ReadonlySet<string>;
  readonly restrictedLabelDomains: ReadonlySet<string> = new Set(["karpenter.kwok.sh"]);
  readonly repairPolicies: readonly RepairPolicy[] = ["False", "Unknown"].map((conditionStatus) => ({
    conditionType: "Ready",
    conditionStatus,
    tolerationMilliseconds: tenMinutes,
  }));
  readonly #options: KwokProviderOptions;
  readonly #offerings: Offerings;
  readonly #creations: NodeCreations;
  readonly #nodeClassStatus: NodeClassStatus;
  /** Questions under way. */
  readonly #nodeClassAnswers = new Map<string, Promise<KubeAnswer>>();

  constructor(options: KwokProviderOptions) {
    this.#options = options;
    this.#offerings = new Offerings(options.instanceTypes);
    this.#creations = new NodeCreations(options);
    this.#nodeClassStatus = new NodeClassStatus(options);
    this.wellKnownLabels = wellKnownLabelsOf(options.instanceTypes);
  }

  /**
   * Takes up the machines whose nodes had not joined when the process before this one ended, and looks after node
   * classes. To be called before anything else, by whoever leads.
   */
  async resume(): Promise<void> {
    const { kube, log } = this.#options;
    this.#nodeClassStatus.start();
    const claims = await kube.list(nodeClaims);
    const machines = new Set((await kube.list(nodes)).map(({ metadata }) => metadata.name));
    for (const wire of claims) {
      const read = readNodeClaim(wire);
      const name = read.problems === undefined ? nodeNameOf(read.value.providerId) : undefined;
      if (read.problems !== undefined || name === undefined || machines.has(name) || !isBooting(read.value)) continue;
      const outcome = this.#offerings.choose(read.value);
      if (outcome.kind === "chosen") await this.#resumeCreation(read.value, { name, choice: outcome.choice });
      else log.error("Nothing that is sold now is the machine of this claim", { NodeClaim: read.value.name });
    }
  }

  /** Does nothing more by itself: no node joins until somebody resumes. */
  stop(): void {
    this.#nodeClassStatus.stop();
    this.#creations.stop();
  }

  instanceTypes(): Promise<readonly InstanceType[]> {
    return Promise.resolve(this.#options.instanceTypes);
  }

  async launch(claim: NodeClaim): Promise<LaunchOutcome> {
    const name = nodeNameFor(claim);
    const known = this.#creations.find(providerIdOf(name));
    if (known !== undefined) return { kind: "launched", instance: known };
    const nodeClass = await this.#readNodeClass(claim);
    if (typeof nodeClass === "string") return { kind: "insufficient-capacity", message: nodeClass };
    if (nodeClass.ready?.status === "False") return { kind: "node-class-not-ready", message: nodeClass.ready.message };
    const outcome = this.#offerings.choose(claim);
    switch (outcome.kind) {
      case "none":
        return {
          kind: "insufficient-capacity",
          message: "no instance type that is available holds the requests and meets the requirements of the claim",
        };
      case "unknown-types":
        return { kind: "failed", reason: "InstanceTypesNotFound", message: describeUnknownTypes(outcome.names) };
      case "chosen":
        return await this.#launchMachine(claim, { name, choice: outcome.choice }, nodeClass);
    }
  }

  async terminate({ providerId }: InstanceIdentity): Promise<"terminating" | "gone"> {
    const name = nodeNameOf(providerId);
    if (name === undefined) return "gone";
    await this.#creations.cancel(providerId);
    const node = await this.#readNode(name);
    // While a node is being deleted, its machine is gone as soon as somebody asks.
    if (node === undefined || node.metadata.deletionTimestamp !== undefined) return "gone";
    const { kube } = this.#options;
    const { uid } = node.metadata;
    const answer = await kube.delete(nodes, { name }, uid === undefined ? {} : { uid });
    const left = unless([404], answer, `delete node ${name}`);
    return left?.metadata.deletionTimestamp === undefined ? "gone" : "terminating";
  }

  async find(providerId: string): Promise<Instance | undefined> {
    const name = nodeNameOf(providerId);
    if (name === undefined) return undefined;
    const instance = this.#creations.find(providerId) ?? (await this.#readMachine(name));
    return instance?.isTerminating === true ? undefined : instance;
  }

  async list(): Promise<readonly Instance[]> {
    // Those that boot first: one whose node joins in between is then found twice rather than not at all.
    const booting = this.#creations.instances;
    const instances = new Map(booting.map((instance) => [instance.providerId, instance]));
    for (const node of await this.#options.kube.list(nodes)) {
      const instance = readInstance(node);
      if (instance !== undefined) instances.set(instance.providerId, instance);
    }
    return [...instances.values()];
  }

  driftReason(): Promise<string> {
    return Promise.resolve("");
  }

  async #launchMachine(claim: NodeClaim, machine: Machine, nodeClass: KwokNodeClass): Promise<LaunchOutcome> {
    const { kube, clock } = this.#options;
    const now = clock.now();
    if (nodeClass.nodeRegistrationDelay > 0) {
      const creation = creationOf(claim, machine, { launchedAt: now, dueAt: now + nodeClass.nodeRegistrationDelay });
      return { kind: "launched", instance: this.#creations.start(creation) };
    }
    const answer = await kube.create(nodes, makeNode(claim, { ...machine, now }));
    if (!answer.ok && isHopeless(answer.refusal.code)) {
      const message = `cannot create node ${machine.name}: ${answer.refusal.message}`;
      return { kind: "failed", reason: "NodeCreationFailed", message };
    }
    const isThere = !answer.ok && answer.refusal.reason === "AlreadyExists";
    const instance = isThere
      ? await this.#readMachine(machine.name)
      : readInstance(orThrow(answer, `create node ${machine.name}`));
    if (instance === undefined) throw new Error(`Node ${machine.name} went while it was being created`);
    return { kind: "launched", instance };
  }

  async #resumeCreation(claim: NodeClaim, machine: Machine): Promise<void> {
    const nodeClass = await this.#readNodeClass(claim);
    const delay = typeof nodeClass === "string" ? 0 : nodeClass.nodeRegistrationDelay;
    const launchedAt = findCondition(claim, "Launched")?.lastTransitionTime ?? claim.createdAt;
    this.#creations.start(creationOf(claim, machine, { launchedAt, dueAt: launchedAt + delay }));
  }

  /** The class, or why there is none. */
  async #readNodeClass({ nodeClassRef: { name } }: NodeClaim): Promise<KwokNodeClass | string> {
    const answer = await this.#askForNodeClass(name);
    if (!answer.ok && answer.refusal.code === 404) return `cannot find the node class: ${answer.refusal.message}`;
    return readNodeClass(orThrow(answer, `read node class ${name}`));
  }

  /** Claims of one plan ask together, and get one answer. */
  #askForNodeClass(name: string): Promise<KubeAnswer> {
    const { kube } = this.#options;
    const asked = this.#nodeClassAnswers.get(name);
    if (asked !== undefined) return asked;
    const answer = kube.get(kwokNodeClasses, { name }).finally(() => this.#nodeClassAnswers.delete(name));
    this.#nodeClassAnswers.set(name, answer);
    return answer;
  }

  async #readMachine(nodeName: string): Promise<Instance | undefined> {
    const node = await this.#readNode(nodeName);
    return node === undefined ? undefined : readInstance(node);
  }

  /** Undefined also for a node of that name that somebody else has made. */
  async #readNode(name: string): Promise<KubeObject | undefined> {
    const node = unless([404], await this.#options.kube.get(nodes, { name }), `read node ${name}`);
    return node !== undefined && readInstance(node)?.providerId === providerIdOf(name) ? node : undefined;
  }
}

interface Machine {
  readonly name: string;
  readonly choice: Choice;
}

function creationOf(
  claim: NodeClaim,
  machine: Machine,
  { launchedAt, dueAt }: { readonly launchedAt: number; readonly dueAt: number },
): Creation {
  const instance = readInstance(makeNode(claim, { ...machine, now: launchedAt }));
  if (instance === undefined) throw new Error(`Node ${machine.name} has no provider id`);
  return {
    instance: { ...instance, createdAt: launchedAt },
    dueAt,
    claim,
    makeNode: (now) => makeNode(claim, { ...machine, now }),
  };
}

function isBooting(claim: NodeClaim): boolean {
  return claim.deletedAt === undefined && !isConditionTrue(claim, "Registered");
}

/** Whether the same node would be refused the next time too. */
function isHopeless(code: number): boolean {
  return code === 400 || code === 403 || code === 422;
}

function describeUnknownTypes(names: readonly string[]): string {
  const rest = names.length - namedTypes;
  const listed = names.slice(0, namedTypes).join(", ");
  return `the claim names only instance types that do not exist: ${listed}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** What pods may ask for although no pool mentions it: what tells the machines apart, and every label of an offering. */
export function wellKnownLabelsOf(instanceTypes: readonly InstanceType[]): ReadonlySet<string> {
  const labels = new Set([instanceSizeLabel, instanceFamilyLabel, instanceCpuLabel, instanceMemoryLabel]);
  for (const { offerings } of instanceTypes) {
    for (const { requirements } of offerings) for (const key of requirements.keys()) labels.add(key);
  }
  return labels;
}
