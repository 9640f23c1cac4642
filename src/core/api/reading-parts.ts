import { isRecord } from "./field.ts";
import { readAnnotationKeys } from "./read-pod.ts";

type WireRecord = Readonly<Record<string, unknown>>;

/** What a template on the wire says of its pods. */
export interface WireTemplate {
  readonly metadata: unknown;
  readonly spec: unknown;
}

/** What decides how the pods of a template read, in parts: the less a part names its own workload, the more others have it, too. */
export interface ReadingParts {
  readonly metadata: WireRecord;
  /** To other pods, mostly those of the same workload. */
  readonly relations: WireRecord;
  readonly rest: WireRecord;
}

const relationFields = ["affinity", "topologySpreadConstraints", "serviceAccountName", "serviceAccount"];
const restFields = [
  "nodeName",
  "terminationGracePeriodSeconds",
  "priorityClassName",
  "schedulingGates",
  "resources",
  "overhead",
  "priority",
  "nodeSelector",
  "tolerations",
  "hostNetwork",
  "resourceClaims",
];
const containerFields = ["name", "resources", "restartPolicy"];
const volumeFields = ["name", "persistentVolumeClaim", "ephemeral"];

/** Leaves out what most of a template is: images, environment, probes, volumes that are no claims. */
export function toReadingParts({ metadata, spec }: WireTemplate): ReadingParts {
  const { labels, annotations } = isRecord(metadata) ? metadata : {};
  const read = isRecord(annotations) ? pick(annotations, [...readAnnotationKeys]) : {};
  const wireSpec = isRecord(spec) ? spec : {};
  const { containers, initContainers, volumes, hostNetwork } = wireSpec;
  const toContainer = (container: WireRecord): WireRecord => {
    const ports = recordsOf(container.ports).filter(({ hostPort }) => hostNetwork === true || hostPort !== undefined);
    return { ...pick(container, containerFields), ...(ports.length === 0 ? {} : { ports }) };
  };
  return {
    metadata: { labels, ...(Object.keys(read).length === 0 ? {} : { annotations: read }) },
    relations: pick(wireSpec, relationFields),
    rest: {
      ...pick(wireSpec, restFields),
      containers: recordsOf(containers).map(toContainer),
      initContainers: recordsOf(initContainers).map(toContainer),
      volumes: recordsOf(volumes)
        .map((volume) => pick(volume, volumeFields))
        .filter(isClaim),
    },
  };
}

export function fromReadingParts({ metadata, relations, rest }: ReadingParts): WireTemplate {
  return { metadata, spec: { ...relations, ...rest } };
}

function isClaim({ persistentVolumeClaim, ephemeral }: WireRecord): boolean {
  return isRecord(persistentVolumeClaim) || isRecord(ephemeral);
}

function pick(record: WireRecord, fields: readonly string[]): WireRecord {
  return Object.fromEntries(fields.flatMap((field) => (Object.hasOwn(record, field) ? [[field, record[field]]] : [])));
}

function recordsOf(list: unknown): readonly WireRecord[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
