import { isRecord } from "../field.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Fields that only versions before v1alpha5 had. */
const firstFields = [
  "constraints",
  "cluster",
  "zones",
  "instanceTypes",
  "instanceType",
  "architecture",
  "architectures",
  "operatingSystem",
  "operatingSystems",
  "ttlSeconds",
];

/**
 * The version in which somebody wrote a Provisioner, as in `karpenter.sh/v1alpha4`. An API server that converts nothing
 * tells every object in the version that it is asked for, so that the marks of whoever wrote it have to say.
 */
export function writtenVersion(wire: unknown): string {
  if (!isRecord(wire)) return "";
  const served = typeof wire.apiVersion === "string" ? wire.apiVersion : "";
  const [group = ""] = served.split("/");
  const isOfGroup = (version: unknown): version is string =>
    typeof version === "string" && version.startsWith(`${group}/`);
  const metadata = isRecord(wire.metadata) ? wire.metadata : {};
  const said = [appliedVersion(metadata), managedVersion(metadata)].find(isOfGroup);
  return said ?? (hasFirstFields(wire.spec) ? `${group}/v1alpha4` : served);
}

/** Of the manifest that `kubectl apply` keeps with the object. */
function appliedVersion({ annotations }: Readonly<Record<string, unknown>>): unknown {
  const text = isRecord(annotations) ? annotations[lastApplied] : undefined;
  if (typeof text !== "string") return undefined;
  try {
    const applied: unknown = JSON.parse(text);
    return isRecord(applied) ? applied.apiVersion : undefined;
  } catch {
    return undefined;
  }
}

/** Of the latest write of the spec; one that applied the whole of it counts for more than an edit. */
function managedVersion({ managedFields }: Readonly<Record<string, unknown>>): unknown {
  const entries = Array.isArray(managedFields) ? managedFields.filter(isRecord) : [];
  const ofSpec = entries
    .filter(({ fieldsV1 }) => isRecord(fieldsV1) && Object.hasOwn(fieldsV1, "f:spec"))
    .sort((left, right) => (String(left.time ?? "") < String(right.time ?? "") ? 1 : -1));
  return (ofSpec.find(({ operation }) => operation === "Apply") ?? ofSpec[0])?.apiVersion;
}

function hasFirstFields(spec: unknown): boolean {
  if (!isRecord(spec)) return false;
  const { provider } = spec;
  const isFirst = (record: Readonly<Record<string, unknown>>, names: readonly string[]): boolean =>
    names.some((name) => Object.hasOwn(record, name));
  return isFirst(spec, firstFields) || (isRecord(provider) && isFirst(provider, ["cluster", "capacityTypes"]));
}
