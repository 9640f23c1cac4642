import type { ContractCase } from "../contract-case.ts";

export const objectCases: readonly ContractCase[] = [
  {
    name: "objects-of-a-namespace",
    about: "a config map is created, read, listed, replaced and deleted",
    async run(api) {
      await api.createNamespace();
      const collection = `/api/v1/namespaces/${api.namespace}/configmaps`;
      await api.request({ method: "POST", path: collection, body: configMap("one", { a: "1" }) });
      await api.request({ method: "POST", path: collection, body: configMap("one", { a: "2" }) });
      await api.request({ path: `${collection}/one` });
      await api.request({ path: collection });
      await api.request({ method: "PUT", path: `${collection}/one`, body: configMap("one", { b: "2" }) });
      const watch = await api.watch(`${collection}?watch=true&resourceVersion=0`);
      await watch.take(1);
      await api.request({ method: "DELETE", path: `${collection}/one` });
      await watch.take(1);
      await api.request({ path: `${collection}/one` });
      await api.request({ method: "DELETE", path: `${collection}/one` });
    },
  },
];

function configMap(name: string, data: Record<string, string>) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}
