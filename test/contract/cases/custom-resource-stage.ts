import type { Json, Recorder } from "../contract-case.ts";
import { clusterResource, type Resource, resource, stage } from "../resource.ts";

export const definitions = "apiextensions.k8s.io/v1/customresourcedefinitions";

/** Each case has a group of its own, so that definitions do not meet. */
export function groupOf(api: Recorder): string {
  return `${api.prefix}.example.com`;
}

export function definition(api: Recorder, schema: object, more: { version?: object; spec?: object } = {}) {
  const group = groupOf(api);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList", shortNames: ["wi"] },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more.version }],
      ...more.spec,
    },
  };
}

export function objectSchema(
  spec: object,
  status: object = { type: "object", "x-kubernetes-preserve-unknown-fields": true },
) {
  return { type: "object", properties: { spec: { type: "object", ...spec }, status } };
}

export function widget(api: Recorder, name: string, spec: unknown = {}, more: object = {}) {
  return { apiVersion: `${groupOf(api)}/v1`, kind: "Widget", metadata: { name }, spec, ...more };
}

export function isEstablished({ body }: { body: Json }): boolean {
  return (
    body.status?.conditions?.some(({ type, status }: Json) => type === "Established" && status === "True") === true
  );
}

/** Creates the definition and waits until its objects are served. */
export async function establish(api: Recorder, body: Json): Promise<Resource> {
  const { path } = clusterResource(api, definitions);
  await stage(api).request({ method: "POST", path, body });
  api.afterwards({ method: "DELETE", path: `${path}/${body.metadata.name}` });
  const quiet = await waitUntil(api, { path: `${path}/${body.metadata.name}` }, isEstablished);
  if (!quiet) throw new Error(`${body.metadata.name} is not established`);
  const objects = resource(api, `${groupOf(api)}/v1/widgets`);
  await waitUntil(api, { path: objects.path }, ({ status }) => status === 200);
  return objects;
}

async function waitUntil(api: Recorder, call: { path: string }, isDone: (answer: Json) => boolean): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    if (isDone(await api.quietly(call))) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

/** The same for one without namespaces, in two versions. */
export async function establishCluster(api: Recorder, body: Json): Promise<void> {
  const path = `/apis/${definitions}`;
  await stage(api).request({ method: "POST", path, body });
  api.afterwards({ method: "DELETE", path: `${path}/${body.metadata.name}` });
  await waitUntil(api, { path: `${path}/${body.metadata.name}` }, isEstablished);
  for (const version of ["v1", "v1beta1"])
    await waitUntil(api, { path: `/apis/${groupOf(api)}/${version}/widgets` }, ({ status }) => status === 200);
  await waitUntil(api, { path: `/apis/${groupOf(api)}` }, ({ body: group }) => group.versions?.length === 2);
}

/** A spec with a required size, defaults, and a part that takes anything. */
export const sizedSchema = objectSchema({
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 1, maximum: 10 },
    color: { type: "string", enum: ["red", "blue"], default: "red" },
    tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, maxItems: 2 },
    nested: { type: "object", default: {}, properties: { depth: { type: "integer", default: 3 } } },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    either: { "x-kubernetes-int-or-string": true },
  },
});
