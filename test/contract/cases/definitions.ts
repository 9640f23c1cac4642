import type { ContractCase, Json } from "../contract-case.ts";
import { clusterResource } from "../resource.ts";
import {
  definition,
  definitions,
  establishCluster,
  groupOf,
  isEstablished,
  objectSchema,
  sizedSchema,
  widget,
} from "./custom-resource-stage.ts";

export const definitionCases: readonly ContractCase[] = [
  {
    name: "crd-life",
    about: "a definition is created, established, discovered and deleted",
    async run(api) {
      const { path } = clusterResource(api, definitions);
      const body = definition(api, sizedSchema);
      api.afterwards({ method: "DELETE", path: `${path}/${body.metadata.name}` });
      const accepted = (answer: Json) => answer.body.status?.conditions?.length >= 2;
      await api.request({
        method: "POST",
        path,
        body,
        select: ({ spec, metadata: { name, generation } }) => ({ name, generation, spec }),
      });
      await api.until(
        { path: `${path}/${body.metadata.name}`, select: sortConditions },
        (answer) => isEstablished(answer) && accepted(answer),
      );
      const served = (answer: Json) => answer.status === 200;
      await api.until({ path: `/apis/${groupOf(api)}` }, served);
      await api.until({ path: `/apis/${groupOf(api)}/v1`, select: withoutHash }, served);
      await api.request({
        method: "DELETE",
        path: `${path}/${body.metadata.name}`,
        select: ({ metadata: { finalizers } = {} as Json, kind }) => ({ kind, finalizers }),
      });
      await api.until({ path: `${path}/${body.metadata.name}` }, ({ status }) => status === 404);
      await api.until({ path: `/apis/${groupOf(api)}/v1` }, ({ status }) => status === 404);
    },
  },
  {
    name: "crd-refused",
    sortsCauses: true,
    about: "definitions that make no sense are refused, with every mistake named",
    async run(api) {
      const { create } = clusterResource(api, definitions);
      const fine = definition(api, objectSchema({}));
      await create({ ...fine, metadata: { name: "wrong" } });
      await create({ ...fine, spec: { ...fine.spec, scope: "Somewhere", versions: [] } });
      await create(definition(api, { type: "object", properties: { spec: { type: "array" } } }));
      await create(definition(api, { properties: {} }));
      await create(
        definition(api, objectSchema({ properties: { a: { type: "integer", default: "x" }, b: { type: "what" } } })),
      );
      await create(definition(api, objectSchema({ properties: { a: {} } })));
      await create(
        definition(api, objectSchema({ "x-kubernetes-validations": [{ rule: "self.nothing > 1" }, { rule: "(" }] })),
      );
      await create(definition(api, objectSchema({}), { version: { storage: false } }));
      await create(definition(api, objectSchema({}), { version: { schema: null } }));
      await create(definition(api, objectSchema({}), { spec: { names: { plural: "Widgets", kind: "widget" } } }));
    },
  },
  {
    name: "crd-cluster-scope",
    about: "a custom resource without namespaces, in two versions",
    async run(api) {
      const version = definition(api, objectSchema({ properties: { size: { type: "integer" } } })).spec.versions[0];
      const body = definition(
        api,
        {},
        {
          spec: { scope: "Cluster", versions: [{ ...version, name: "v1beta1", storage: false }, version] },
        },
      );
      await establishCluster(api, body);
      const old = clusterResource(api, `${groupOf(api)}/v1beta1/widgets`);
      const now = clusterResource(api, `${groupOf(api)}/v1/widgets`);
      await old.create({ ...widget(api, "one", { size: 1 }), apiVersion: `${groupOf(api)}/v1beta1` });
      await now.get("one");
      await old.list();
      await now.merge("one", { spec: { size: 2 } });
      await old.get("one");
      await api.request({ path: `/apis/${groupOf(api)}` });
      await api.request({ path: `/apis/${groupOf(api)}/v1/namespaces/default/widgets` });
      await now.delete("one");
    },
  },
];

function withoutHash({ resources, ...list }: Json): Json {
  return {
    ...list,
    resources: resources.map(({ storageVersionHash: _, verbs, ...rest }: Json) => ({
      ...rest,
      verbs: verbs.toSorted(),
    })),
  };
}

function sortConditions({ status, metadata: { name, generation } }: Json): Json {
  const conditions = status.conditions.toSorted((left: Json, right: Json) => (left.type < right.type ? -1 : 1));
  return { name, generation, status: { ...status, conditions } };
}
