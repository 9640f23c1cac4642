import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.js";
import type { StorageClass } from "kubernetes-types/storage/v1.js";
import type { ControlLoop } from "../control-loop.ts";
import { keyOf } from "../storage/collection.ts";
import { timestamp } from "../timestamp.ts";
import { ClaimUsers } from "./claim-users.ts";
import { ObjectIndex } from "./object-index.ts";
import { claimReference, freeVolumeFor, provisionedVolume, selectedNodeAnnotation } from "./provision-volume.ts";
import { Resource, type Stored } from "./resource.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

const noProvisioner = "kubernetes.io/no-provisioner";
const claimFinalizer = "kubernetes.io/pvc-protection";
const volumeFinalizer = "kubernetes.io/pv-protection";
const source = "persistentvolume-controller";

/** Binds claims to volumes, makes volumes where a class says how, and lets go of both when nobody uses them. */
export class VolumeController implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #claims: Resource<PersistentVolumeClaim>;
  readonly #volumes: Resource<PersistentVolume>;
  readonly #volumesByClaim: ObjectIndex<PersistentVolume>;
  readonly #classes: Resource<StorageClass>;
  readonly #nodes: Resource<Node>;
  readonly #users: ClaimUsers;
  readonly #claimLoop: ControlLoop;
  readonly #volumeLoop: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext) {
    this.#context = context;
    this.#claims = new Resource<PersistentVolumeClaim>(context.api, "", "persistentvolumeclaims");
    this.#volumes = new Resource<PersistentVolume>(context.api, "", "persistentvolumes");
    this.#volumesByClaim = new ObjectIndex(this.#volumes, claimKeyOf);
    this.#classes = new Resource<StorageClass>(context.api, "storage.k8s.io", "storageclasses");
    this.#nodes = new Resource<Node>(context.api, "", "nodes");
    this.#claimLoop = controlLoop(context, "claim", (key) => this.#reconcileClaim(key));
    this.#volumeLoop = controlLoop(context, "volume", (name) => this.#reconcileVolume(name));
    const pods = new Resource<Pod>(context.api, "", "pods");
    this.#users = new ClaimUsers(pods, (claim) => {
      if (this.#claims.find(claim)?.metadata.deletionTimestamp !== undefined) this.#claimLoop.enqueue(claim);
    });
    this.#stops = [
      () => this.#users.stop(),
      () => this.#volumesByClaim.stop(),
      this.#claims.subscribe(({ object }) => this.#seeClaim(object)),
      this.#volumes.subscribe(({ object }) => this.#seeVolume(object)),
      this.#classes.subscribe(() => this.#retryPending()),
    ];
    for (const claim of this.#claims.list()) this.#seeClaim(claim);
    for (const volume of this.#volumes.list()) this.#seeVolume(volume);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#claimLoop.stop();
    this.#volumeLoop.stop();
  }

  #seeClaim(claim: Stored<PersistentVolumeClaim>): void {
    const key = keyOf(claim);
    this.#claimLoop.enqueue(key);
    for (const volume of this.#volumesByClaim.get(key)) this.#volumeLoop.enqueue(volume.metadata.name);
  }

  #seeVolume(volume: Stored<PersistentVolume>): void {
    this.#volumeLoop.enqueue(volume.metadata.name);
    const claim = claimKeyOf(volume);
    if (claim === undefined) this.#retryPending();
    else this.#claimLoop.enqueue(claim);
  }

  #retryPending(): void {
    for (const claim of this.#claims.list()) {
      if (claim.status?.phase !== "Bound") this.#claimLoop.enqueue(keyOf(claim));
    }
  }

  #reconcileClaim(key: string): void {
    const claim = this.#claims.find(key);
    if (claim === undefined) return;
    if (claim.metadata.deletionTimestamp !== undefined) {
      if (this.#users.of(key).length === 0) removeFinalizer(this.#claims, claim, claimFinalizer);
      return;
    }
    const { volumeName } = claim.spec ?? {};
    const volume = volumeName ? this.#volumes.find(volumeName) : this.#volumeFor(claim);
    if (volume !== undefined) this.#bind(claim, volume);
    else if (volumeName && claim.status?.phase === "Bound") this.#lose(claim);
    else if (!volumeName) this.#provision(claim);
  }

  #volumeFor(claim: Stored<PersistentVolumeClaim>): Stored<PersistentVolume> | undefined {
    const reserved = this.#volumesByClaim.get(keyOf(claim)).find(({ spec }) => {
      return spec?.claimRef?.uid === undefined || spec.claimRef.uid === claim.metadata.uid;
    });
    if (reserved !== undefined) return reserved;
    const storageClass = this.#classOf(claim);
    return storageClass?.volumeBindingMode === "WaitForFirstConsumer"
      ? undefined
      : freeVolumeFor(claim, this.#volumes.list());
  }

  #classOf({ spec }: PersistentVolumeClaim): Stored<StorageClass> | undefined {
    return this.#classes.find(spec?.storageClassName ?? "");
  }

  #bind(claim: Stored<PersistentVolumeClaim>, volume: Stored<PersistentVolume>): void {
    const owner = volume.spec?.claimRef;
    if (owner?.uid !== undefined && owner.uid !== claim.metadata.uid) return;
    if (owner?.uid === undefined) {
      this.#volumes.change(volume, (current) => ({
        ...current,
        metadata: withAnnotations(current.metadata, { "pv.kubernetes.io/bound-by-controller": "yes" }),
        spec: { ...current.spec, claimRef: claimReference(claim) },
      }));
    }
    const isNamed = claim.spec?.volumeName === volume.metadata.name;
    const isMarked = claim.metadata.annotations?.["pv.kubernetes.io/bind-completed"] !== undefined;
    const bound = isNamed && isMarked ? claim : this.#name(claim, volume);
    this.#claims.writeStatus(bound, {
      ...bound.status,
      phase: "Bound",
      accessModes: volume.spec?.accessModes ?? [],
      capacity: volume.spec?.capacity ?? {},
    });
  }

  #name(claim: Stored<PersistentVolumeClaim>, volume: Stored<PersistentVolume>): Stored<PersistentVolumeClaim> {
    const byController = claim.spec?.volumeName ? {} : { "pv.kubernetes.io/bound-by-controller": "yes" };
    return this.#claims.change(claim, (current) => ({
      ...current,
      metadata: withAnnotations(current.metadata, { "pv.kubernetes.io/bind-completed": "yes", ...byController }),
      spec: { ...current.spec, volumeName: volume.metadata.name },
    }));
  }

  #lose(claim: Stored<PersistentVolumeClaim>): void {
    this.#claims.writeStatus(claim, { ...claim.status, phase: "Lost" });
    const message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
    this.#say(claim, "Warning", { reason: "ClaimLost", message });
  }

  #provision(claim: Stored<PersistentVolumeClaim>): void {
    const storageClass = this.#classOf(claim);
    if (storageClass === undefined) {
      const name = claim.spec?.storageClassName ?? "";
      const message =
        name === ""
          ? "no persistent volumes available for this claim and no storage class is set"
          : `storageclass.storage.k8s.io "${name}" not found`;
      this.#say(claim, name === "" ? "Normal" : "Warning", {
        reason: name === "" ? "FailedBinding" : "ProvisioningFailed",
        message,
      });
      return;
    }
    const chosen = claim.metadata.annotations?.[selectedNodeAnnotation];
    if (storageClass.volumeBindingMode === "WaitForFirstConsumer" && chosen === undefined) {
      const message = "waiting for first consumer to be created before binding";
      this.#say(claim, "Normal", { reason: "WaitForFirstConsumer", message });
      return;
    }
    if (storageClass.provisioner === noProvisioner) return;
    const node = chosen === undefined ? undefined : this.#nodes.find(chosen);
    const { provisioner } = storageClass;
    const marked = this.#claims.change(claim, (current) => ({
      ...current,
      metadata: withAnnotations(current.metadata, {
        "volume.beta.kubernetes.io/storage-provisioner": provisioner,
        "volume.kubernetes.io/storage-provisioner": provisioner,
      }),
    }));
    const body = provisionedVolume(marked, storageClass, node);
    const name = body.metadata?.name ?? "";
    if (this.#volumes.find(name) === undefined) this.#volumes.create(body);
    const message = `Successfully provisioned volume ${name}`;
    this.#say(claim, "Normal", { reason: "ProvisioningSucceeded", message });
  }

  #reconcileVolume(name: string): void {
    const volume = this.#volumes.find(name);
    if (volume === undefined) return;
    const phase = this.#phaseOf(volume);
    const lastPhaseTransitionTime = timestamp(this.#context.clock.now());
    const written =
      volume.status?.phase === phase
        ? volume
        : this.#volumes.writeStatus(volume, { ...volume.status, phase, lastPhaseTransitionTime });
    const isReclaimed = phase === "Released" && volume.spec?.persistentVolumeReclaimPolicy === "Delete";
    if (volume.metadata.deletionTimestamp === undefined) {
      if (isReclaimed) this.#volumes.delete(written);
    } else if (phase !== "Bound") removeFinalizer(this.#volumes, written, volumeFinalizer);
  }

  #phaseOf(volume: Stored<PersistentVolume>): string {
    const { claimRef } = volume.spec ?? {};
    if (claimRef?.uid === undefined) return "Available";
    const claim = this.#claims.find(claimKeyOf(volume) ?? "");
    return claim?.metadata.uid === claimRef.uid ? "Bound" : "Released";
  }

  #say(
    about: Stored<PersistentVolumeClaim>,
    type: "Normal" | "Warning",
    what: { readonly reason: string; readonly message: string },
  ): void {
    this.#context.recordEvent({ about, type, ...what, source });
  }
}

function claimKeyOf({ spec }: PersistentVolume): string | undefined {
  return spec?.claimRef === undefined ? undefined : `${spec.claimRef.namespace}/${spec.claimRef.name}`;
}

function withAnnotations<T extends { annotations?: Record<string, string> }>(
  metadata: T,
  more: Record<string, string>,
) {
  return { ...metadata, annotations: { ...metadata.annotations, ...more } };
}

function removeFinalizer<T extends object>(resource: Resource<T>, object: Stored<T>, name: string): void {
  if (object.metadata.finalizers?.includes(name) !== true) return;
  resource.change(object, (current) => {
    const finalizers = (current.metadata.finalizers ?? []).filter((finalizer) => finalizer !== name);
    return { ...current, metadata: { ...current.metadata, finalizers } };
  });
}
