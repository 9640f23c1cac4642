import { ec2NodeClasses, nodePools } from "../../core/api/karpenter-resources.ts";
import { isOwnedBy, newObject, patchToward, uidOf } from "../../core/api/legacy/owned-object.ts";
import type { Outcome } from "../../core/api/legacy/tell-outcome.ts";
import { type Owner, provisionerUidAnnotation, type Wanted } from "../../core/api/legacy/translate-provisioner.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { type KubeAnswer, type KubeClient, unless } from "../../runtime/kube-client.ts";
import type { KubeObject } from "../../runtime/kube-object.ts";

export interface MadeObjectsOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
}

interface Found {
  readonly wanted: Wanted;
  /** Undefined when there is none of the name. */
  readonly live: KubeObject | undefined;
}

/** The pools and node classes that are made of Provisioners. */
export class MadeObjects {
  readonly #options: MadeObjectsOptions;

  constructor(options: MadeObjectsOptions) {
    this.#options = options;
  }

  /** Makes them what they should be, or leaves all of them alone. Undefined when somebody else wrote meanwhile. */
  async write(owner: Owner, wanted: readonly Wanted[]): Promise<Outcome | undefined> {
    const found: Found[] = [];
    for (const one of wanted) found.push({ wanted: one, live: await this.#read(one) });
    const foreign = found.filter(({ live }) => live !== undefined && !isOwnedBy(live, owner));
    if (foreign.length > 0) return { kind: "taken", objects: foreign.map(nameOf) };
    const leaving = found.filter(({ live }) => live?.metadata.deletionTimestamp !== undefined);
    if (leaving.length > 0) return { kind: "leaving", objects: leaving.map(nameOf) };
    for (const one of found) {
      const answer = await this.#writeOne(owner, one);
      if (answer === undefined || answer.ok) continue;
      const { code, message } = answer.refusal;
      if (code === 409 || code === 404) return undefined;
      if (code === 400 || code === 403 || code === 422) return { kind: "refused", object: nameOf(one), message };
      throw new Error(`Cannot write ${nameOf(one)}: ${message} (${code})`);
    }
    await this.remove(owner, (name) => !wanted.some((one) => one.name === name));
    const created = found.filter(({ live }) => live === undefined);
    return { kind: "carried-out", objects: found.map(nameOf).reverse(), created: created.map(nameOf) };
  }

  /** Names of the pools that are made of a Provisioner. */
  poolsOf({ uid }: Owner): readonly string[] {
    return [...this.#options.cluster.pools.values()]
      .filter(({ annotations }) => annotations.get(provisionerUidAnnotation) === uid)
      .map(({ name }) => name);
  }

  /** Deletes those of a Provisioner that have such a name: its own, or that of an alternative. */
  async remove(owner: Owner, isMeant: (name: string) => boolean): Promise<void> {
    const { cluster, kube } = this.#options;
    // A copy that somebody made of one, under a name of their own, is theirs.
    const isItsName = (name: string) => name === owner.name || alternativeOf(name) === owner.name;
    for (const name of this.poolsOf(owner)) {
      const pool = cluster.pools.get(name);
      if (pool === undefined || pool.deletedAt !== undefined || !isItsName(name) || !isMeant(name)) continue;
      unless([404, 409], await kube.delete(nodePools, { name }, { uid: pool.uid }), `delete NodePool "${name}"`);
    }
    for (const { name, kind, uid, deletedAt, wire } of cluster.nodeClasses.copy().values()) {
      if (kind !== ec2NodeClasses.kind || uidOf(wire) !== owner.uid || deletedAt !== undefined) continue;
      if (!isItsName(name) || !isMeant(name)) continue;
      unless([404, 409], await kube.delete(ec2NodeClasses, { name }, { uid }), `delete EC2NodeClass "${name}"`);
    }
  }

  async #read({ resource, name }: Wanted): Promise<KubeObject | undefined> {
    const { kube } = this.#options;
    return unless([404], await kube.get(resource, { name }), `look at ${resource.kind} "${name}"`);
  }

  /** Undefined when there is nothing to write. */
  async #writeOne(owner: Owner, { wanted, live }: Found): Promise<KubeAnswer | undefined> {
    const { kube } = this.#options;
    const { resource, name } = wanted;
    if (live === undefined) return await kube.create(resource, newObject(wanted, owner));
    const patch = patchToward(live, wanted);
    if (patch === undefined) return undefined;
    const { resourceVersion } = live.metadata;
    const { metadata } = patch as { metadata?: object };
    return await kube.patch(resource, { name }, { body: { ...patch, metadata: { ...metadata, resourceVersion } } });
  }
}

/** The name of the Provisioner that a pool of this name would be an alternative of. */
export function alternativeOf(name: string): string | undefined {
  return /^(.+)-\d+$/.exec(name)?.[1];
}

function nameOf({ wanted: { resource, name } }: Found): string {
  return `${resource.kind} ${name}`;
}
