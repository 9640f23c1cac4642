import { portsConflict } from "../model/host-ports.ts";
import type { Node } from "../model/node.ts";
import type { NodePool } from "../model/node-pool.ts";
import type { PodSpec } from "../model/pod.ts";
import { holdsOn, type NodeTerm } from "../model/requirements.ts";
import type { Resources } from "../model/resources.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { untoleratedTaint } from "../model/taints.ts";
import { type Ask, acceptsLabels, stagesOf } from "./ask.ts";
import { loadOf } from "./bound-pods.ts";
import { requirementsOfPool } from "./catalogue.ts";
import { type ClassRules, RuleBook } from "./class-rules.ts";
import { Daemons } from "./daemons.ts";
import type { Place } from "./domain-counts.ts";
import { labelsWithHost, openExistingNodes } from "./existing-nodes.ts";
import { type GroupSet, GroupSets } from "./group-set.ts";
import { labelKeysOf } from "./label-keys.ts";
import { type MachineGroup, machineGroups, orderPools } from "./machine-groups.ts";
import { Machines, vectorOf } from "./machines.ts";
import { minValuesOf, unmetMinValues } from "./min-values.ts";
import { NodeKinds } from "./node-kinds.ts";
import type { Newcomer, OpenNode } from "./open-nodes.ts";
import type { PodClass } from "./pod-classes.ts";
import type { PlanSettings } from "./settings.ts";
import { TopologyGroups } from "./topology-groups.ts";
import type { VolumeNeeds } from "./volume-needs.ts";

/** A class with what its volumes ask for. */
export interface PlannedClass {
  readonly podClass: PodClass;
  readonly volumes: Extract<VolumeNeeds, { kind: "usable" }>;
}

/** A class at one stage of relaxation, with everything that can be worked out before pods are placed. */
export interface StagedClass extends PlannedClass {
  readonly stage: number;
  readonly ask: Ask;
  readonly rules: ClassRules;
  /** The groups whose machines the class may be on. */
  readonly allowedGroups: GroupSet;
  /** For each request profile what a pod takes. */
  readonly requests: readonly Float64Array[];
}

/** The cluster and the market as one batch of pods sees them. */
export class World {
  readonly snapshot: Snapshot;
  readonly settings: PlanSettings;
  /** Usable pools in the order in which they are tried. */
  readonly pools: readonly NodePool[];
  readonly resources: readonly string[];
  /** What all pods of the batch take together, in the order of the resources. */
  readonly batchRequests: Float64Array;
  readonly groups: readonly MachineGroup[];
  readonly machines: Machines;
  readonly ruleBook: RuleBook;
  readonly openNodes: OpenNode[];
  readonly topologyKeys: readonly string[];
  readonly groupSets: GroupSets;
  private groupsByVariant: ReadonlyMap<string, readonly MachineGroup[]> | undefined;
  private readonly groupsByKey = new Map<string, ReadonlyMap<string | undefined, readonly MachineGroup[]>>();
  private readonly stagesBySpec = new Map<PodSpec, readonly Ask[]>();
  private readonly stagedByClass = new Map<PodClass, StagedClass[]>();
  private readonly welcome = new Map<StagedClass, (boolean | undefined)[]>();
  private readonly respectsPreferences: boolean;
  private readonly somePreferToBeAvoided: boolean;

  constructor(snapshot: Snapshot, classes: readonly PlannedClass[], settings: PlanSettings) {
    this.snapshot = snapshot;
    this.settings = settings;
    this.pools = orderPools(snapshot.nodePools.filter(isUsable));
    this.respectsPreferences = settings.preferencePolicy === "Respect";
    this.somePreferToBeAvoided = [...snapshot.nodePools, ...snapshot.nodes].some(({ taints }) =>
      taints.some(({ effect }) => effect === "PreferNoSchedule"),
    );
    const specs = new Set(classes.map(({ podClass }) => podClass.spec));
    const nodes = snapshot.nodes.filter(({ isDeleting }) => !isDeleting);
    const assertive = new Set(nodes.flatMap(({ name }) => loadOf(snapshot.podsByNode.get(name) ?? []).assertive));
    const keepingAway = [...assertive].map(({ spec }) => spec).filter((spec) => spec.podAntiAffinity.length > 0);
    const daemonSpecs = snapshot.daemonPods.map(({ spec }) => spec);
    const labelKeys = labelKeysOf(new Set([...specs, ...daemonSpecs, ...keepingAway]), [
      ...classes.flatMap(({ volumes }) => volumes.alternatives),
      ...this.pools.flatMap(defaultTerm),
    ]);
    this.topologyKeys = [...labelKeys.topologyKeys].sort();
    this.resources = resourcesOf(classes, daemonSpecs);
    this.batchRequests = this.requestsOfAll(classes);
    const daemons = new Daemons(snapshot.daemonPods);
    this.groups = machineGroups(this.pools, labelKeys, settings.wellKnownLabels);
    this.groupSets = new GroupSets(this.groups.length);
    this.machines = new Machines(this.groups, daemons, this.resources, settings);
    const kinds = new NodeKinds(labelKeys.keys);
    this.ruleBook = new RuleBook(new TopologyGroups(snapshot), [
      ...this.groups.map(placeOfGroup),
      ...placesOfKinds(nodes, kinds),
    ]);
    for (const { podClass } of classes) {
      this.ruleBook.register(podClass, this.stagesOf(podClass.spec)[0]!);
      this.ruleBook.registerPorts(podClass.spec.hostPorts);
    }
    for (const kind of assertive) this.ruleBook.registerBound(kind);
    this.openNodes = openExistingNodes(nodes, {
      snapshot,
      daemons,
      ruleBook: this.ruleBook,
      kinds,
      resources: this.resources,
    });
  }

  stagesOf(spec: PodSpec): readonly Ask[] {
    let stages = this.stagesBySpec.get(spec);
    if (!stages) {
      stages = stagesOf(spec, this.respectsPreferences, this.somePreferToBeAvoided);
      this.stagesBySpec.set(spec, stages);
    }
    return stages;
  }

  /** Undefined when there is nothing left to relax. */
  atStage(planned: PlannedClass, stage: number): StagedClass | undefined {
    const known = this.stagedClasses(planned.podClass);
    const ask = this.stagesOf(planned.podClass.spec)[stage];
    if (known[stage] || !ask) return known[stage];
    const { podClass, volumes } = planned;
    const allowed = this.candidateGroups(ask).filter((group) => this.isAllowed(ask, planned, group));
    const staged: StagedClass = {
      podClass,
      volumes,
      stage,
      ask,
      rules: this.ruleBook.rulesFor(podClass, ask, podClass.spec.hostPorts),
      allowedGroups: this.groupSets.of(this.withEnoughChoice(allowed)),
      requests: this.requestProfiles(podClass),
    };
    known[stage] = staged;
    return staged;
  }

  /** Whether labels, taints and volumes let the class onto an open node; worked out once for each kind of node. */
  isWelcomeOn(staged: StagedClass, node: OpenNode): boolean {
    if (node.machine) return staged.allowedGroups.has(node.machine.group);
    let known = this.welcome.get(staged);
    if (!known) {
      known = [];
      this.welcome.set(staged, known);
    }
    known[node.kind] ??=
      untoleratedTaint(staged.ask.tolerations, node.taints) === undefined &&
      acceptsLabels(staged.ask, node.labels) &&
      holdsOnSome(staged.volumes.alternatives, node);
    return known[node.kind]!;
  }

  newcomer(staged: StagedClass): Newcomer {
    return {
      staged,
      requestsOn: (poolName) => staged.requests[this.profileOf(poolName)]!,
      isWelcomeOn: (node) => this.isWelcomeOn(staged, node),
      isFirstOfKind: (group) => !this.isHosted(group),
    };
  }

  /**
   * Whether a pod of the host group is on an open node, even one that others may not come to: kube-scheduler lets no pod
   * start a second host then.
   */
  isHosted(hostGroup: number): boolean {
    return this.openNodes.some((node) => node.host.membersOf(hostGroup) > 0);
  }

  /** The groups of the same pool whose open labels were settled in the same way. */
  groupsLike({ variantKey }: MachineGroup): readonly MachineGroup[] {
    this.groupsByVariant ??= Map.groupBy(this.groups, (group) => group.variantKey);
    return this.groupsByVariant.get(variantKey) ?? [];
  }

  /** The request profile that applies on a pool's nodes. */
  profileOf(poolName: string): number {
    if (!this.settings.requestsFor) return 0;
    return 1 + this.snapshot.nodePools.findIndex(({ name }) => name === poolName);
  }

  private stagedClasses(podClass: PodClass): StagedClass[] {
    let known = this.stagedByClass.get(podClass);
    if (!known) {
      known = [];
      this.stagedByClass.set(podClass, known);
    }
    return known;
  }

  private requestsOfAll(classes: readonly PlannedClass[]): Float64Array {
    const total = new Float64Array(this.resources.length);
    for (const { podClass } of classes) {
      const [requests] = this.requestProfiles(podClass);
      for (let index = 0; index < total.length; index++) total[index]! += requests![index]! * podClass.pods.length;
    }
    return total;
  }

  private requestProfiles(podClass: PodClass): Float64Array[] {
    const profiles = [vectorOf(podClass.requests, this.resources)];
    if (podClass.requestsByPool) {
      for (const { name } of this.snapshot.nodePools)
        profiles.push(vectorOf(podClass.requestsByPool.get(name) ?? podClass.requests, this.resources));
    }
    return profiles;
  }

  /** Groups that have the label of which fewest have the value that the pod selects. */
  private candidateGroups({ nodeSelector }: Ask): readonly MachineGroup[] {
    let fewest = this.groups;
    for (const [key, { values }] of nodeSelector) {
      const [value = ""] = values;
      const having = this.groupsByLabel(key).get(value) ?? [];
      if (having.length < fewest.length) fewest = having;
    }
    return fewest;
  }

  private groupsByLabel(key: string): ReadonlyMap<string | undefined, readonly MachineGroup[]> {
    let groups = this.groupsByKey.get(key);
    if (!groups) {
      groups = Map.groupBy(this.groups, ({ labels }) => labels.get(key));
      this.groupsByKey.set(key, groups);
    }
    return groups;
  }

  /** Without the groups of pools that demand more choice than these groups leave. */
  private withEnoughChoice(allowed: readonly MachineGroup[]): readonly MachineGroup[] {
    if (this.settings.minValuesPolicy === "BestEffort") return allowed;
    const isRigid = (pool: NodePool): boolean => {
      const demands = minValuesOf(pool);
      if (demands.length === 0) return false;
      const rows = allowed.flatMap(({ catalogue, rows }) => (catalogue.pool === pool ? rows : []));
      return unmetMinValues(demands, new Set(rows.map(({ type }) => type))) !== undefined;
    };
    const rigid = new Set(this.pools.filter(isRigid));
    return rigid.size === 0 ? allowed : allowed.filter(({ catalogue }) => !rigid.has(catalogue.pool));
  }

  private isAllowed(ask: Ask, { podClass, volumes }: PlannedClass, group: MachineGroup): boolean {
    const place = placeOfGroup(group);
    if (untoleratedTaint(ask.tolerations, place.taints) || !acceptsLabels(ask, place.labels)) return false;
    if (!group.overriddenKeys.every((key) => mentions(ask, key))) return false;
    if (!holdsOnSome(volumes.alternatives, place)) return false;
    const { hostPorts } = this.machines.overheadOf(group);
    return !podClass.spec.hostPorts.some((port) => hostPorts.some((taken) => portsConflict(port, taken)));
  }
}

function isUsable(pool: NodePool): boolean {
  return pool.replicas === undefined && pool.unusableBecause === undefined && pool.instanceTypes.length > 0;
}

function placeOfGroup({ labels, catalogue }: MachineGroup): Place {
  return { labels, taints: catalogue.pool.taints };
}

function mentions(ask: Ask, key: string): boolean {
  return ask.nodeSelector.has(key) || ask.requiredNodeTerms.some((term) => term.has(key));
}

function holdsOnSome(terms: readonly NodeTerm[], { labels }: Place): boolean {
  return terms.length === 0 || terms.some((term) => holdsOn(term, labels));
}

/** What a pool's defaults say about their keys, so that machines on both sides of them are told apart. */
function defaultTerm(pool: NodePool): NodeTerm[] {
  if (pool.defaultKeys.size === 0) return [];
  return [new Map([...requirementsOfPool(pool)].filter(([key]) => pool.defaultKeys.has(key)))];
}

/** A node of each kind. */
function placesOfKinds(nodes: readonly Node[], kinds: NodeKinds): Iterable<Place> {
  const places = new Map<number, Place>();
  for (const node of nodes) {
    const labels = labelsWithHost(node);
    const kind = kinds.of(labels, node.taints);
    if (!places.has(kind)) places.set(kind, { labels, taints: node.taints });
  }
  return places.values();
}

/** Every resource that somebody asks for; the usual ones first. */
function resourcesOf(classes: readonly PlannedClass[], daemonSpecs: readonly PodSpec[]): string[] {
  const names = new Set(["cpu", "memory", "pods"]);
  const add = (requests: Resources) => {
    for (const [name, amount] of requests) if (amount > 0) names.add(name);
  };
  for (const { podClass } of classes) [podClass.requests, ...(podClass.requestsByPool?.values() ?? [])].forEach(add);
  for (const { requests } of daemonSpecs) add(requests);
  return [...names];
}
