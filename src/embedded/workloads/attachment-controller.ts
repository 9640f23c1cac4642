import { createHash } from "node:crypto";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.js";
import type { CSIDriver, VolumeAttachment } from "kubernetes-types/storage/v1.js";
import type { ControlLoop } from "../control-loop.ts";
import { keyOf } from "../storage/collection.ts";
import { ClaimUsers } from "./claim-users.ts";
import { ObjectIndex } from "./object-index.ts";
import { Resource, type Stored } from "./resource.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

/** Attaches volumes of CSI drivers to the nodes whose pods use them, and detaches them when the last pod is gone. */
export class AttachmentController implements RunningPart {
  readonly #claims: Resource<PersistentVolumeClaim>;
  readonly #volumes: Resource<PersistentVolume>;
  readonly #drivers: Resource<CSIDriver>;
  readonly #attachments: Resource<VolumeAttachment>;
  readonly #byVolume: ObjectIndex<VolumeAttachment>;
  readonly #users: ClaimUsers;
  readonly #loop: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext) {
    const { api } = context;
    this.#claims = new Resource<PersistentVolumeClaim>(api, "", "persistentvolumeclaims");
    this.#volumes = new Resource<PersistentVolume>(api, "", "persistentvolumes");
    this.#drivers = new Resource<CSIDriver>(api, "storage.k8s.io", "csidrivers");
    this.#attachments = new Resource<VolumeAttachment>(api, "storage.k8s.io", "volumeattachments");
    this.#byVolume = new ObjectIndex(this.#attachments, ({ spec }) => spec.source.persistentVolumeName);
    this.#loop = controlLoop(context, "attachments of volume", (name) => this.#reconcile(name));
    this.#users = new ClaimUsers(new Resource<Pod>(api, "", "pods"), (claim) => this.#seeClaim(claim));
    this.#stops = [
      () => this.#users.stop(),
      () => this.#byVolume.stop(),
      this.#claims.subscribe(({ object, previous }) => {
        if (object.spec?.volumeName !== previous?.spec?.volumeName) this.#seeClaim(keyOf(object));
      }),
    ];
    for (const claim of this.#claims.list()) this.#seeClaim(keyOf(claim));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#loop.stop();
  }

  #seeClaim(key: string): void {
    const volume = this.#claims.find(key)?.spec?.volumeName;
    if (volume) this.#loop.enqueue(volume);
  }

  #reconcile(name: string): void {
    const { csi, claimRef } = this.#volumes.find(name)?.spec ?? {};
    const users = claimRef === undefined ? [] : this.#users.of(`${claimRef.namespace}/${claimRef.name}`);
    const nodes = new Set(users.map(({ spec }) => spec?.nodeName ?? ""));
    nodes.delete("");
    for (const attachment of this.#byVolume.get(name)) {
      if (!nodes.delete(attachment.spec.nodeName)) this.#attachments.delete(attachment);
    }
    if (csi === undefined || this.#drivers.find(csi.driver)?.spec.attachRequired === false) return;
    for (const node of nodes) this.#attach(name, node, csi);
  }

  #attach(volume: string, nodeName: string, { driver, volumeHandle }: { driver: string; volumeHandle: string }): void {
    const hash = createHash("sha256").update(`${volumeHandle}${driver}${nodeName}`).digest("hex");
    const created: Stored<VolumeAttachment> = this.#attachments.create({
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttachment",
      metadata: { name: `csi-${hash}`, annotations: { "csi.alpha.kubernetes.io/node-id": nodeName } },
      spec: { attacher: driver, nodeName, source: { persistentVolumeName: volume } },
    });
    this.#attachments.writeStatus(created, { attached: true });
  }
}
