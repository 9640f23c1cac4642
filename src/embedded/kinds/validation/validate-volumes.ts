import type { Container, KeyToPath, PodSpec, Volume } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required } from "../../../core/api/schema/refusals.ts";
import { parseQuantity } from "../../../core/model/quantity.ts";
import { duplicate, invalid, invalidForEach, notFound, notSupported } from "../refusals.ts";
import { dnsLabelProblems } from "../value-rules.ts";
import { validateClaimSpec } from "./validate-claim-spec.ts";

const modeDetail = "must be a number between 0 and 0777 (octal), both inclusive";
const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

/** In the order in which the server looks at them. */
const volumeTypes = ["emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs"];

export function validateVolumes({ volumes = [] }: PodSpec, path: string): FieldError[] {
  const seen = new Set<string>();
  return volumes.flatMap((volume, index): FieldError[] => {
    const at = `${path}[${index}]`;
    const errors = validateVolume(volume, at);
    const { name } = volume;
    if (!name) errors.push(required(`${at}.name`));
    else errors.push(...invalidForEach(`${at}.name`, name, dnsLabelProblems(name)));
    if (name && seen.has(name)) errors.push(duplicate(`${at}.name`, name));
    seen.add(name);
    return errors;
  });
}

function validateVolume(volume: Volume, path: string): FieldError[] {
  const found = Object.keys(volume).filter((key) => key !== "name");
  const types = [
    ...volumeTypes.filter((type) => found.includes(type)),
    ...found.filter((key) => !volumeTypes.includes(key)),
  ];
  const [first, ...others] = types;
  if (first === undefined) return [required(path, "must specify a volume type")];
  return [
    ...validateSource(volume, `${path}.${first}`),
    ...others.map((type) => forbidden(`${path}.${type}`, "may not specify more than 1 volume type")),
  ];
}

function validateSource(volume: Volume, path: string): FieldError[] {
  const { emptyDir, hostPath, secret, nfs, persistentVolumeClaim, configMap, csi, ephemeral } = volume;
  if (path.endsWith(".emptyDir") && emptyDir?.sizeLimit !== undefined) {
    const isNegative = (parseQuantity(String(emptyDir.sizeLimit)) ?? 0n) < 0n;
    return isNegative ? [forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")] : [];
  }
  if (path.endsWith(".hostPath") && hostPath !== undefined) return validateHostPath(hostPath, path);
  if (path.endsWith(".secret") && secret !== undefined)
    return validateFiles(secret, secret.secretName, `${path}.secretName`);
  if (path.endsWith(".configMap") && configMap !== undefined)
    return validateFiles(configMap, configMap.name, `${path}.name`);
  if (path.endsWith(".persistentVolumeClaim") && !persistentVolumeClaim?.claimName)
    return [required(`${path}.claimName`)];
  if (path.endsWith(".nfs") && nfs !== undefined) {
    const missing = (["server", "path"] as const)
      .filter((field) => !nfs[field])
      .map((field) => required(`${path}.${field}`));
    const isRelative = nfs.path && !nfs.path.startsWith("/");
    return isRelative ? [...missing, invalid(`${path}.path`, nfs.path, "must be an absolute path")] : missing;
  }
  if (path.endsWith(".csi") && !csi?.driver) return [required(`${path}.driver`)];
  if (path.endsWith(".ephemeral")) {
    const template = ephemeral?.volumeClaimTemplate;
    if (template === undefined) return [required(`${path}.volumeClaimTemplate`)];
    return validateClaimSpec(template.spec, `${path}.volumeClaimTemplate.spec`);
  }
  return [];
}

function validateHostPath({ path = "", type = "" }: { path?: string; type?: string }, field: string): FieldError[] {
  if (path === "") return [required(`${field}.path`)];
  const errors = validateNoBacksteps(path, `${field}.path`);
  return hostPathTypes.includes(type) ? errors : [...errors, notSupported(`${field}.type`, type, hostPathTypes)];
}

interface Files {
  readonly defaultMode?: number;
  readonly items?: readonly KeyToPath[];
}

function validateFiles({ defaultMode, items = [] }: Files, name: string | undefined, nameField: string): FieldError[] {
  const path = nameField.slice(0, nameField.lastIndexOf("."));
  const errors = name ? [] : [required(nameField)];
  errors.push(...validateMode(defaultMode, `${path}.defaultMode`));
  for (const [index, item] of items.entries()) {
    const at = `${path}.items[${index}]`;
    if (!item.key) errors.push(required(`${at}.key`));
    if (!item.path) errors.push(required(`${at}.path`));
    errors.push(...validateRelativePath(item.path ?? "", `${at}.path`));
    if (item.path?.startsWith("..") && !item.path.startsWith("../")) {
      errors.push(invalid(`${at}.path`, item.path, "must not start with '..'"));
    }
    errors.push(...validateMode(item.mode, `${at}.mode`));
  }
  return errors;
}

function validateMode(mode: number | undefined, field: string): FieldError[] {
  return mode !== undefined && (mode < 0 || mode > 0o777) ? [invalid(field, mode, modeDetail)] : [];
}

function validateNoBacksteps(path: string, field: string): FieldError[] {
  return path.split("/").includes("..") ? [invalid(field, path, "must not contain '..'")] : [];
}

function validateRelativePath(path: string, field: string): FieldError[] {
  const absolute = path.startsWith("/") ? [invalid(field, path, "must be a relative path")] : [];
  return [...absolute, ...validateNoBacksteps(path, field)];
}

/** Mounts and devices name volumes of the pod, and no path twice. */
export function validateMounts(container: Container, volumeNames: ReadonlySet<string>, path: string): FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const devicePaths = new Set(volumeDevices.map(({ devicePath }) => devicePath));
  const deviceNames = new Set(volumeDevices.map(({ name }) => name));
  const seen = new Set<string>();
  const errors = volumeMounts.flatMap(({ name, mountPath, subPath, subPathExpr }, index): FieldError[] => {
    const at = `${path}.volumeMounts[${index}]`;
    const found: FieldError[] = name ? [] : [required(`${at}.name`)];
    if (!volumeNames.has(name)) found.push(notFound(`${at}.name`, name ?? ""));
    if (!mountPath) found.push(required(`${at}.mountPath`));
    if (seen.has(mountPath)) found.push(invalid(`${at}.mountPath`, mountPath, "must be unique"));
    seen.add(mountPath);
    if (deviceNames.has(name)) found.push(invalid(`${at}.name`, name, "must not already exist in volumeDevices"));
    if (devicePaths.has(mountPath)) {
      found.push(invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices"));
    }
    if (subPath) found.push(...validateRelativePath(subPath, `${path}.volumeMounts.subPath`));
    if (subPathExpr && subPath) {
      found.push(invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive"));
    }
    return found;
  });
  for (const [index, { name }] of volumeDevices.entries()) {
    const field = `${path}.volumeDevices[${index}].name`;
    if (!name) errors.push(required(field));
    else if (!volumeNames.has(name)) errors.push(notFound(field, name));
  }
  return errors;
}
