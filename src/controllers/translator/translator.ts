import { ec2NodeClasses, nodePools } from "../../core/api/karpenter-resources.ts";
import type { ConvertOptions } from "../../core/api/legacy/convert-options.ts";
import { describeDeletion, describeOutcome, type Outcome } from "../../core/api/legacy/tell-outcome.ts";
import {
  type Owner,
  type Translation,
  templateNameOf,
  translateProvisioner,
} from "../../core/api/legacy/translate-provisioner.ts";
import { readConditionOwner } from "../../core/api/read-condition-owner.ts";
import { poolReference } from "../../core/api/references.ts";
import { terminationFinalizer } from "../../core/api/write-node-claim.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Change } from "../../core/cluster/collection.ts";
import { findCondition } from "../../core/model/condition.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KubeTransport } from "../../ports/kube-transport.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { KubeClient } from "../../runtime/kube-client.ts";
import { apiVersionOf, type KubeObject } from "../../runtime/kube-object.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { type LegacyCollection, LegacyObjects } from "./legacy-objects.ts";
import { alternativeOf, MadeObjects } from "./made-objects.ts";
import { StatusWriter } from "./status-writer.ts";

export interface TranslatorOptions {
  readonly cluster: ClusterState;
  readonly transport: KubeTransport;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly telemetry: Telemetry;
  /** What stands in for what old objects do not say. */
  readonly describeCluster: () => Pick<ConvertOptions, "clusterName" | "kubernetesVersion">;
}

const soon = 10;
const untilKnown = 1_000;
/** What no event tells of, such as owners that somebody removed, is seen after so long. */
const nextLook = 10 * 60_000;

/** Carries out Provisioners of every year as pools and node classes that belong to them. */
export class Translator {
  readonly #options: TranslatorOptions;
  readonly #loop: WorkLoop;
  readonly #legacy: LegacyObjects;
  readonly #made: MadeObjects;
  readonly #status: StatusWriter;
  /** Uids of Provisioners that go and leave behind what was made of them; garbage collection soon takes the mark off. */
  readonly #orphaning = new Set<string>();
  #unsubscribe: (() => void)[] = [];

  constructor(options: TranslatorOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({
      name: "legacy.provisioner",
      clock,
      telemetry,
      reconcile: (key) => this.#reconcile(key),
    });
    this.#legacy = new LegacyObjects({ ...options, onChange: (collection, key) => this.#see(collection, key) });
    this.#made = new MadeObjects(options);
    this.#status = new StatusWriter(options);
  }

  start(): void {
    const { pools, nodeClasses } = this.#options.cluster;
    this.#unsubscribe = [
      pools.onChange((change) => {
        if (isNews(change)) this.#seeMade(change.key);
      }),
      nodeClasses.onChange(({ before, after }) => {
        const { kind, name } = after ?? before ?? {};
        if (kind === ec2NodeClasses.kind && before?.generation !== after?.generation) this.#seeMade(name ?? "");
      }),
    ];
    this.#legacy.start();
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#legacy.stop();
    await this.#loop.stop();
  }

  #see(collection: LegacyCollection, key: string): void {
    const { nodeTemplates } = this.#legacy;
    const object = collection.objects.get(key);
    if (collection.resource.isNamespaced && object !== undefined && isOrphaning(object))
      this.#orphaning.add(object.metadata.uid ?? "");
    this.#enqueue(collection, key);
    if (collection === nodeTemplates) {
      for (const [user, name] of this.#references()) if (name === key) this.#enqueue(this.#legacy.provisioners, user);
    } else for (const name of nodeTemplates.objects.keys()) this.#enqueue(nodeTemplates, name);
  }

  /** Whoever it belongs to, or whoever it stands in the way of. */
  #seeMade(name: string): void {
    const base = alternativeOf(name);
    for (const collection of [this.#legacy.provisioners, this.#legacy.firstProvisioners]) {
      for (const [key, { metadata }] of collection.objects) {
        if (metadata.name === name || metadata.name === base) this.#enqueue(collection, key);
      }
    }
  }

  #enqueue({ resource }: LegacyCollection, key: string): void {
    this.#loop.enqueue(`${resource.plural}.${resource.group}/${key}`);
  }

  #reconcile(key: string): Promise<number | undefined> {
    const slash = key.indexOf("/");
    const name = key.slice(slash + 1);
    const collection = Object.values(this.#collections()).find(
      ({ resource: { plural, group } }) => key.slice(0, slash) === `${plural}.${group}`,
    );
    const object = collection?.objects.get(name);
    if (collection === undefined || object === undefined) return Promise.resolve(undefined);
    if (collection === this.#legacy.nodeTemplates) return this.#judgeTemplate(object);
    return object.metadata.deletionTimestamp === undefined
      ? this.#carryOut(collection, object)
      : this.#end(collection, object);
  }

  #collections(): readonly LegacyCollection[] {
    const { provisioners, firstProvisioners, nodeTemplates } = this.#legacy;
    return [provisioners, firstProvisioners, nodeTemplates];
  }

  async #carryOut(collection: LegacyCollection, object: KubeObject): Promise<number | undefined> {
    const templateName = templateNameOf(object);
    const { nodeTemplates } = this.#legacy;
    if (templateName !== undefined && !nodeTemplates.isKnown) return untilKnown;
    const owner = ownerFrom(collection, object);
    const template = nodeTemplates.objects.get(templateName ?? "");
    const translation = translateProvisioner({ owner, provisioner: object, template }, this.#options.describeCluster());
    const outcome = await this.#write(collection, owner, { object, translation });
    if (outcome === undefined) return soon;
    if (outcome.kind === "carried-out") this.#tellOfDeletion(owner, object, outcome);
    return await this.#tell(collection, owner, { outcome, translation });
  }

  async #write(
    collection: LegacyCollection,
    owner: Owner,
    { object, translation }: { readonly object: KubeObject; readonly translation: Translation },
  ): Promise<Outcome | undefined> {
    const { problems, wanted } = translation;
    if (problems.length > 0) return { kind: "invalid", problems };
    if (owner.namespace !== undefined && !(await this.#hold(collection, object))) return undefined;
    return await this.#made.write(owner, wanted);
  }

  /** Who deletes a pool finds it there again, and should hear why. */
  #tellOfDeletion(owner: Owner, object: KubeObject, outcome: { readonly created: readonly string[] }): void {
    const read = readConditionOwner(object, owner.kind);
    const message = read.problems === undefined ? describeDeletion(read.value, outcome) : undefined;
    if (message === undefined) return;
    const { cluster, telemetry } = this.#options;
    telemetry.events.publish({ object: owner, type: "Warning", reason: "MadeAnew", message });
    for (const name of this.#made.poolsOf(owner)) {
      const pool = cluster.pools.get(name);
      if (pool === undefined || !outcome.created.includes(`${nodePools.kind} ${name}`)) continue;
      telemetry.events.publish({ object: poolReference(pool), type: "Warning", reason: "MadeAnew", message });
    }
  }

  /** Nothing is said of an object that has changed since, or is gone: its turn comes again. */
  async #tell(
    collection: LegacyCollection,
    owner: Owner,
    { outcome, translation }: { readonly outcome: Outcome; readonly translation: Translation },
  ): Promise<number | undefined> {
    const { cluster, telemetry } = this.#options;
    const object = collection.objects.get(keyOf(owner));
    if (object === undefined) return undefined;
    const pools = this.#made.poolsOf(owner).map((name) => cluster.pools.get(name));
    const result = await this.#status.writeProvisioner(collection, object, { outcome, notes: translation, pools });
    const { status, reason, message } = describeOutcome(outcome);
    if (result.isNews) {
      const type = status === "True" ? "Normal" : "Warning";
      telemetry.events.publish({ object: owner, type, reason, message: message.slice(0, 1000) });
    }
    return result.isConflict ? soon : nextLook;
  }

  async #judgeTemplate(object: KubeObject): Promise<number | undefined> {
    const { provisioners } = this.#legacy;
    const { name = "" } = object.metadata;
    if (!provisioners.isKnown) return untilKnown;
    const users = this.#references().flatMap(([user, template]) => (template === name ? [user] : []));
    const { isConflict } = await this.#status.writeTemplate(this.#legacy.nodeTemplates, object, {
      users,
      options: this.#options.describeCluster(),
    });
    return isConflict ? soon : undefined;
  }

  /** Which Provisioner refers to which template. */
  #references(): readonly (readonly [string, string | undefined])[] {
    return [...this.#legacy.provisioners.objects].map(([key, object]) => [key, templateNameOf(object)] as const);
  }

  /** Garbage collection does not reach from a namespace out of it, so that such an object stays until its pools are told to go. */
  async #hold(collection: LegacyCollection, object: KubeObject): Promise<boolean> {
    const finalizers = finalizersOf(object);
    if (finalizers.includes(terminationFinalizer)) return true;
    return (await collection.writeFinalizers(object, [...finalizers, terminationFinalizer])) === "written";
  }

  async #end(collection: LegacyCollection, object: KubeObject): Promise<number | undefined> {
    const finalizers = finalizersOf(object);
    if (!collection.resource.isNamespaced || !finalizers.includes(terminationFinalizer)) return undefined;
    const owner = ownerFrom(collection, object);
    if (!this.#orphaning.has(owner.uid)) await this.#made.remove(owner, () => true);
    const others = finalizers.filter((finalizer) => finalizer !== terminationFinalizer);
    if ((await collection.writeFinalizers(object, others)) === "conflict") return soon;
    this.#orphaning.delete(owner.uid);
    return undefined;
  }
}

function ownerFrom({ resource }: LegacyCollection, { metadata }: KubeObject): Owner {
  const { name = "", namespace, uid = "" } = metadata;
  const where = resource.isNamespaced ? { namespace: namespace ?? "" } : {};
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, ...where };
}

function keyOf({ name, namespace }: Owner): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function finalizersOf({ metadata: { finalizers } }: KubeObject): readonly string[] {
  return Array.isArray(finalizers) ? finalizers.map(String) : [];
}

/** As with `kubectl delete --cascade=orphan`. */
function isOrphaning(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && finalizersOf(object).includes("orphan");
}

/** Numbers of nodes change all the time, and matter to nobody here. */
function isNews({ before, after }: Change<NodePoolObject>): boolean {
  if (before === undefined || after === undefined) return true;
  const marks = ({ uid, generation, deletedAt, annotations, status }: NodePoolObject): string => {
    const ready = findCondition(status, "Ready");
    return JSON.stringify([uid, generation, deletedAt, [...annotations], ready?.status, ready?.reason, ready?.message]);
  };
  return marks(before) !== marks(after);
}
