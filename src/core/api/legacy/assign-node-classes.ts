import type { KubeletDraft } from "./convert-kubelet.ts";
import { ec2NodeClass, type NodeClassDraft, type PoolDraft } from "./drafts.ts";
import type { NoteLog } from "./note.ts";
import type { Metadata } from "./write-metadata.ts";

/** A node class, with the place in the output that its object has. */
export interface ClassEntry {
  readonly draft: NodeClassDraft;
  readonly slot: object[];
  /** One that was v1 already, and stays as it is. */
  readonly isFixed: boolean;
}

export interface PoolEntry {
  readonly draft: PoolDraft;
  readonly slot: object[];
  readonly notes: NoteLog;
}

/**
 * Settings of the kubelet moved from pools to node classes. A class whose pools agree gets theirs; where they differ,
 * those with settings of their own get copies of the class.
 */
export class NodeClassAssignment {
  readonly #classes = new Map<string, ClassEntry>();
  /** Names of node classes by the class and the settings that they are for. */
  readonly #copies = new Map<string, string>();
  /** Names of those that pools brought along. */
  readonly #inline = new Map<NodeClassDraft, string>();
  readonly #taken: Set<string>;
  readonly #isPerPool: boolean;

  constructor(classes: readonly ClassEntry[], isPerPool: boolean) {
    for (const entry of classes) this.#classes.set(entry.draft.metadata.name, entry);
    // A class that is only copied takes no name.
    const written = isPerPool ? classes.filter(({ isFixed }) => isFixed) : classes;
    this.#taken = new Set(written.map(({ draft }) => draft.metadata.name));
    this.#isPerPool = isPerPool;
  }

  write(pools: readonly PoolEntry[]): void {
    const kubelets = this.#isPerPool ? new Map<string, KubeletDraft>() : this.#writeShared(pools);
    for (const { draft, slot, notes } of pools) {
      const { nodeClass } = draft;
      if ("spec" in nodeClass) {
        const known = this.#inline.get(nodeClass);
        const name = known ?? this.#free(nodeClass.metadata.name);
        this.#inline.set(nodeClass, name);
        if (known === undefined) {
          slot.push(writeNodeClass({ ...nodeClass.metadata, name }, nodeClass.spec, draft.kubelet));
        }
        this.#finish({ draft, slot, notes }, name);
        continue;
      }
      const name = this.#nameFor({ draft, slot, notes }, kubelets);
      slot.push(draft.write({ ...nodeClass, name }));
    }
  }

  /** Writes each class once, with the settings that all of its pools agree on. */
  #writeShared(pools: readonly PoolEntry[]): ReadonlyMap<string, KubeletDraft> {
    const agreed = new Map<string, KubeletDraft>();
    for (const [name, { draft, slot, isFixed }] of this.#classes) {
      if (isFixed) continue;
      const users = pools.filter(({ draft: { nodeClass } }) => !("spec" in nodeClass) && nodeClass.name === name);
      const settings = new Set(users.map(({ draft: { kubelet } }) => keyOf(kubelet)));
      const kubelet = settings.size === 1 ? users[0]?.draft.kubelet : undefined;
      if (kubelet !== undefined) agreed.set(name, kubelet);
      slot.push(writeNodeClass(draft.metadata, draft.spec, kubelet));
    }
    return agreed;
  }

  /** What the node class of a pool is called, which is written if it is not there yet. */
  #nameFor(pool: PoolEntry, agreed: ReadonlyMap<string, KubeletDraft>): string {
    const { nodeClass, kubelet, name: poolName } = pool.draft;
    if ("spec" in nodeClass) return nodeClass.metadata.name;
    const { name, kind } = nodeClass;
    if (kind !== ec2NodeClass.kind) {
      if (kubelet !== undefined) pool.notes.dropped(kubelet.place, `is left out: a ${kind} knows no kubelet`);
      return name;
    }
    const entry = this.#classes.get(name);
    if (entry === undefined) {
      missing(pool, name);
      return name;
    }
    if (this.#isPerPool) {
      pool.slot.push(writeNodeClass({ ...entry.draft.metadata, name: poolName }, entry.draft.spec, kubelet));
      return poolName;
    }
    if (kubelet === undefined) return name;
    if (keyOf(agreed.get(name)) === keyOf(kubelet)) {
      pool.notes.changed(kubelet.place, `is kubelet of the EC2NodeClass ${name} now`);
      return name;
    }
    const key = `${name} ${keyOf(kubelet)}`;
    const known = this.#copies.get(key);
    const copy = known ?? this.#free(`${name}-${poolName}`);
    if (known === undefined) {
      this.#copies.set(key, copy);
      entry.slot.push(writeNodeClass({ ...entry.draft.metadata, name: copy }, entry.draft.spec, kubelet));
    }
    pool.notes.changed(
      kubelet.place,
      `is kubelet of the EC2NodeClass ${copy} now, a copy of ${name}, because pools of ${name} differ in it`,
    );
    return copy;
  }

  #finish({ draft, slot, notes }: PoolEntry, name: string): void {
    if (draft.kubelet !== undefined) notes.changed(draft.kubelet.place, `is kubelet of the EC2NodeClass ${name} now`);
    slot.push(draft.write({ ...ec2NodeClass, name }));
  }

  #free(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count++) name = `${wanted}-${count}`;
    this.#taken.add(name);
    return name;
  }
}

/** The class may be in the cluster already; what has to be said to it cannot be said here. */
function missing({ draft: { kubelet, classPlace }, notes }: PoolEntry, name: string): void {
  notes.changed(
    classPlace,
    `is the EC2NodeClass ${name} now, which is not among these objects: convert what it was too, unless the cluster has it`,
  );
  if (kubelet === undefined) return;
  notes.dropped(
    kubelet.place,
    `belongs into the EC2NodeClass ${name}, which is not among these objects: convert both together, or write it there`,
  );
}

function writeNodeClass(metadata: Metadata, spec: NodeClassDraft["spec"], kubelet: KubeletDraft | undefined): object {
  return {
    apiVersion: `${ec2NodeClass.group}/v1`,
    kind: ec2NodeClass.kind,
    metadata,
    spec: { ...spec, ...(kubelet === undefined ? {} : { kubelet: kubelet.settings }) },
  };
}

/** The same for the same settings, in whatever order they are written. */
function keyOf(kubelet: KubeletDraft | undefined): string {
  return kubelet === undefined ? "" : canonical(kubelet.settings);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
