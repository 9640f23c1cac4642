import type { Node } from "../model/node.ts";
import type { Ask } from "./ask.ts";
import type { ClassRules, DomainRule } from "./class-rules.ts";
import type { Place } from "./domain-counts.ts";
import { HostState } from "./host-state.ts";
import type { Lot } from "./lots.ts";
import type { Machine } from "./machines.ts";
import type { StagedClass } from "./world.ts";

/** A node with room: one that exists, one on its way, or one that this plan opens. */
export interface OpenNode extends Place {
  readonly existing: Node | undefined;
  /** What is to be launched for it. */
  machine: Machine | undefined;
  /** Index of the nodes that look the same to every pod in the batch; compatibility is worked out once for each. */
  readonly kind: number;
  readonly poolName: string;
  /** What is left, in the order of the plan's resources. */
  readonly room: Float64Array;
  readonly host: HostState;
  /** Claims attached already, by driver; absent when there are none, as on most nodes. */
  attached: Map<string, Set<string>> | undefined;
  readonly placed: Placement[];
}

/** Pods of one class on one node. */
export interface Placement {
  readonly staged: StagedClass;
  count: number;
}

/** What a class takes, in the order of the plan's resources. */
export type Requests = Float64Array;

export interface Newcomer {
  readonly staged: StagedClass;
  readonly requestsOn: (poolName: string) => Requests;
  readonly isWelcomeOn: (node: OpenNode) => boolean;
  /** Whether no member of a host group is on any node. */
  readonly isFirstOfKind: (group: number) => boolean;
}

/** A new node with nothing on it yet. */
export function newNode(machine: Machine): OpenNode {
  const { labels, catalogue } = machine.group;
  return {
    labels,
    taints: catalogue.pool.taints,
    existing: undefined,
    machine,
    kind: -1,
    poolName: catalogue.pool.name,
    room: machine.capacity.slice(),
    host: new HostState(),
    attached: undefined,
    placed: [],
  };
}

/** Puts a lot on a new node so many times. Its pods have been counted in their domains already. */
export function addLot(node: OpenNode, { parts, requests }: Lot, times: number, profile: number): void {
  const amounts = requests[profile]!;
  for (let index = 0; index < amounts.length; index++) node.room[index]! -= amounts[index]! * times;
  for (const { staged, count } of parts) {
    node.placed.push({ staged, count: count * times });
    if (staged.rules.host) node.host.add(staged.rules.host, count * times);
  }
}

/** Puts as many pods as may go onto nodes that are open, in their order. Returns how many are left. */
export function placeOnOpenNodes(newcomer: Newcomer, count: number, nodes: readonly OpenNode[]): number {
  const isSpread = newcomer.staged.rules.demands.some(({ kind }) => kind === "spread");
  let left = count;
  let candidates = nodes;
  for (let before = Number.POSITIVE_INFINITY; left > 0 && left < before; ) {
    before = left;
    const roomy: OpenNode[] = [];
    for (const node of candidates) {
      if (left === 0) break;
      // Most nodes of a large cluster are full, and that is soon seen.
      if (!hasRoomFor(newcomer.requestsOn(node.poolName), node.room) || !newcomer.isWelcomeOn(node)) continue;
      left -= placeOn(newcomer, left, node);
      if (isSpread) roomy.push(node);
    }
    // Pods in other domains may have made room for more in those that were full.
    candidates = roomy;
  }
  return left;
}

/**
 * Starts the host that the rest of a kind must join where there is room for most of them, even if not for all, unless
 * that is fewer than `least`. Returns how many came.
 */
export function startOnOpenNode(
  newcomer: Newcomer,
  { least, most }: { readonly least: number; readonly most: number },
  nodes: readonly OpenNode[],
): number {
  let largest: OpenNode | undefined;
  let room = 0;
  for (const node of nodes) {
    const here = Math.min(most, roomOn(newcomer, node));
    if (here < least || here <= room || !wouldTake(newcomer, node)) continue;
    largest = node;
    room = here;
  }
  return largest ? placeOn(newcomer, room, largest) : 0;
}

function placeOn(newcomer: Newcomer, wanted: number, node: OpenNode): number {
  const { rules, volumes } = newcomer.staged;
  const requests = newcomer.requestsOn(node.poolName);
  let placed = 0;
  while (placed < wanted) {
    const most = Math.min(wanted - placed, roomOn(newcomer, node));
    if (most <= 0 || !hasNeededCompany(newcomer, node) || !canAttach(newcomer, node)) break;
    // Whoever starts a host that the rest of its kind must join chooses one that has room for all of them.
    if (placed === 0 && most < wanted && startsHost(rules, node)) break;
    // Every pod changes the counts that the next one is judged by.
    const isCounted = rules.demands.length > 0 || rules.memberOf.length > 0 || volumes.attachments.length > 0;
    if (isCounted && !domainsAllow(newcomer.staged, node)) break;
    const step = isCounted ? 1 : most;
    settle(node, newcomer.staged, requests, step);
    for (const { claim, driver } of volumes.attachments) attach(node, driver, claim);
    placed += step;
  }
  return placed;
}

/** Records pods on a node: room, host, and topology counts. */
function settle(node: OpenNode, staged: StagedClass, requests: Requests, count: number): void {
  const { rules } = staged;
  for (let index = 0; index < requests.length; index++) node.room[index]! -= requests[index]! * count;
  if (rules.host) node.host.add(rules.host, count);
  countInDomains(rules, node, count);
  const known = node.placed.find((placement) => placement.staged === staged);
  if (known) known.count += count;
  else node.placed.push({ staged, count });
}

/** Takes pods off a node again. What they attached stays attached. */
export function takeOff(node: OpenNode, placement: Placement, count: number, profile: number): void {
  const { rules, requests } = placement.staged;
  const amounts = requests[profile]!;
  placement.count -= count;
  for (let index = 0; index < amounts.length; index++) node.room[index]! += amounts[index]! * count;
  if (rules.host) node.host.add(rules.host, -count);
  countInDomains(rules, node, -count);
}

export function countInDomains(rules: ClassRules, place: Place, count: number): void {
  for (const group of rules.memberOf) group.countMembers(place, count);
  for (const group of rules.owns) group.countOwners(place, count);
}

/** Whether the rules about domains larger than a host allow one more pod at this place. */
export function domainsAllow({ rules, ask }: Pick<StagedClass, "rules" | "ask">, place: Place): boolean {
  for (const demand of rules.demands) {
    const { kind, counts, isMember } = demand;
    const domain = place.labels.get(counts.group.key);
    const allowed =
      kind === "spread"
        ? counts.allowsSpread(domain, isMember)
        : kind === "affinity"
          ? allowsAffinity(demand, domain, ask)
          : counts.allowsAntiAffinity(domain);
    if (!allowed) return false;
  }
  return rules.memberOf.every((counts) => counts.toleratesMember(place.labels.get(counts.group.key)));
}

/** A pod goes where members are. One that is a member itself is the first if nothing that it accepts has any. */
function allowsAffinity({ counts, isMember, together }: DomainRule, domain: string | undefined, ask: Ask): boolean {
  if (domain === undefined) return false;
  return counts.membersIn(domain) > 0 || (isMember && together.every((one) => one.isEmptyFor(ask)));
}

/** How many pods the resources and the company on a node leave room for. */
function roomOn({ staged, requestsOn }: Newcomer, { poolName, room, host }: OpenNode): number {
  const most = roomFor(requestsOn(poolName), room);
  return staged.rules.host ? Math.min(most, host.room(staged.rules.host)) : most;
}

function roomFor(requests: Requests, room: Float64Array): number {
  let most = Number.MAX_SAFE_INTEGER;
  for (let index = 0; index < requests.length; index++) {
    const need = requests[index]!;
    if (need > 0) most = Math.min(most, Math.floor(room[index]! / need));
  }
  return most;
}

function hasRoomFor(requests: Requests, room: Float64Array): boolean {
  for (let index = 0; index < requests.length; index++) {
    const need = requests[index]!;
    if (need > 0 && room[index]! < need) return false;
  }
  return true;
}

/** Whether a node would take one pod as it is. */
export function wouldTake(newcomer: Newcomer, node: OpenNode): boolean {
  return (
    newcomer.isWelcomeOn(node) &&
    roomOn(newcomer, node) > 0 &&
    hasNeededCompany(newcomer, node) &&
    canAttach(newcomer, node) &&
    domainsAllow(newcomer.staged, node)
  );
}

/** A pod that needs company on its host goes where there is some, or anywhere if it is the first of its kind. */
function hasNeededCompany({ staged, isFirstOfKind }: Newcomer, node: OpenNode): boolean {
  return staged.rules.hostNeeds.every(
    ({ group, isMember }) => node.host.membersOf(group) > 0 || (isMember && isFirstOfKind(group)),
  );
}

function startsHost({ hostNeeds }: ClassRules, { host }: OpenNode): boolean {
  return hostNeeds.some(({ group }) => host.membersOf(group) === 0);
}

function canAttach(newcomer: Newcomer, node: OpenNode): boolean {
  const limits = node.existing?.volumeLimits;
  if (!limits || newcomer.staged.volumes.attachments.length === 0) return true;
  const added = new Map<string, Set<string>>();
  for (const { claim, driver } of newcomer.staged.volumes.attachments) {
    if (node.attached?.get(driver)?.has(claim)) continue;
    added.set(driver, (added.get(driver) ?? new Set()).add(claim));
  }
  for (const [driver, claims] of added) {
    const limit = limits.get(driver);
    if (limit !== undefined && (node.attached?.get(driver)?.size ?? 0) + claims.size > limit) return false;
  }
  return true;
}

export function attach(node: OpenNode, driver: string, claim: string): void {
  node.attached ??= new Map();
  node.attached.set(driver, (node.attached.get(driver) ?? new Set()).add(claim));
}
