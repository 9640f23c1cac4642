import type { PersistentVolume, PersistentVolumeClaim } from "kubernetes-types/core/v1.js";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "kubernetes-types/storage/v1.js";

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Claims, volumes and what else decides where a volume can be. */
export class StorageState {
  /** By namespace/name. */
  readonly claims = new Map<string, PersistentVolumeClaim>();
  readonly classes = new Map<string, StorageClass>();
  readonly csiNodes = new Map<string, CSINode>();
  readonly csiDrivers = new Map<string, CSIDriver>();
  /** By namespace/name. */
  readonly capacities = new Map<string, CSIStorageCapacity>();
  readonly volumes = new IndexedObjects<PersistentVolume>(classOfVolume);
  readonly attachments = new IndexedObjects<VolumeAttachment>(({ spec }) => spec.nodeName);
}

/** Objects by name, and by one more property. */
class IndexedObjects<T> {
  readonly #propertyOf: (object: T) => string;
  readonly #byName = new Map<string, T>();
  readonly #byProperty = new Map<string, Map<string, T>>();

  constructor(propertyOf: (object: T) => string) {
    this.#propertyOf = propertyOf;
  }

  get(name: string): T | undefined {
    return this.#byName.get(name);
  }

  with(property: string): Iterable<T> {
    return this.#byProperty.get(property)?.values() ?? [];
  }

  put(name: string, object: T | undefined): void {
    const old = this.#byName.get(name);
    if (old !== undefined) this.#byProperty.get(this.#propertyOf(old))?.delete(name);
    this.#byName.delete(name);
    if (object === undefined) return;
    this.#byName.set(name, object);
    const property = this.#propertyOf(object);
    const group = this.#byProperty.get(property) ?? new Map<string, T>();
    this.#byProperty.set(property, group.set(name, object));
  }
}

/** The annotation is older than the field, and still counts first. */
export function classOfClaim({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";
}

export function classOfVolume({ metadata, spec }: PersistentVolume): string {
  return metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";
}
