/** A kind of object that the API serves. */
export interface KubeResource {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: KubeMetadata;
  readonly [field: string]: unknown;
}

export interface KubeMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly [field: string]: unknown;
}

export interface ObjectName {
  readonly name: string;
  /** Only for what lives in one. */
  readonly namespace?: string;
}

export function apiVersionOf({ group, version }: KubeResource): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Where the API serves all objects of a resource, or those of a namespace, or one of them, or a part of it. */
export function resourcePath(
  resource: KubeResource,
  place: { readonly namespace?: string | undefined; readonly name?: string; readonly subresource?: string } = {},
): string {
  const { group, version, plural } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const namespace = place.namespace === undefined ? "" : `/namespaces/${encodeURIComponent(place.namespace)}`;
  const name = place.name === undefined ? "" : `/${encodeURIComponent(place.name)}`;
  const subresource = place.subresource === undefined ? "" : `/${place.subresource}`;
  return `${root}${namespace}/${plural}${name}${subresource}`;
}

/** `namespace/name`, or the name alone. Joined: a string that is put together from pieces takes twice the memory. */
export function objectKey({ name, namespace }: { readonly name?: string; readonly namespace?: string }): string {
  return namespace === undefined || namespace === "" ? (name ?? "") : [namespace, name ?? ""].join("/");
}

export function isKubeObject(value: unknown): value is KubeObject {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return false;
  return typeof value.metadata === "object" && value.metadata !== null;
}

/** Whether one version of an object came after the other. They are numbers, of any length. */
export function isNewerVersion(version: string, than: string): boolean {
  return version.length === than.length ? version > than : version.length > than.length;
}
