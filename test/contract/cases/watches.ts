import type { ContractCase } from "../contract-case.ts";
import { inNamespace, resource, stage } from "../resource.ts";
import { definition, establish, objectSchema, widget } from "./custom-resource-stage.ts";
import { configMap } from "./samples.ts";

const inCase = "labelSelector=in%3Dcase";
const labels = { in: "case" };
const map = (name: string, data: Record<string, string> = {}) => configMap(name, data, { labels });

export const watchCases: readonly ContractCase[] = [
  inNamespace("watch-from-version", "a watch goes on where a list ended", async (api) => {
    const maps = resource(stage(api), "configmaps");
    await maps.create(map("before"));
    const { body } = await api.request({ path: maps.path, select: ({ metadata, kind }) => ({ metadata, kind }) });
    await maps.create(map("one"));
    await maps.merge("one", { data: { a: "1" } });
    await maps.delete("before");
    const watch = await api.watch(`${maps.path}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
    await watch.take(3);
    await maps.delete("one");
    await watch.take(1);
  }),
  inNamespace("watch-initial", "a watch from nowhere begins with what is there", async (api) => {
    const maps = resource(stage(api), "configmaps");
    await maps.create(map("b"));
    await maps.create(map("a"));
    for (const version of ["", "&resourceVersion=0"]) {
      const watch = await api.watch(`${maps.path}?watch=true&${inCase}${version}`);
      await watch.take(2);
      watch.close();
    }
    const watch = await api.watch(`${maps.path}?watch=1&fieldSelector=metadata.name%3Da`);
    await watch.take(1);
    await maps.merge("b", { data: { x: "1" } });
    await maps.merge("a", { data: { x: "2" } });
    await watch.take(1);
  }),
  inNamespace("watch-list", "a watch sends the list as events and says where it ends", async (api) => {
    const maps = resource(stage(api), "configmaps");
    await maps.create(map("a"));
    await maps.create(map("b"));
    const options = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    for (const version of ["", "&resourceVersion=", "&resourceVersion=0"]) {
      const watch = await api.watch(`${maps.path}?watch=true&${inCase}&${options}${version}`, { keepsBookmarks: true });
      await watch.take(3);
      watch.close();
    }
    const none = await api.watch(
      `${maps.path}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0&${inCase}`,
    );
    await maps.create(map("c"));
    await none.take(1);
  }),
  inNamespace("watch-list-bad", "options of a watch that do not go together", async (api) => {
    const { path } = resource(api, "configmaps");
    await api.watch(`${path}?watch=true&sendInitialEvents=true`);
    await api.watch(`${path}?watch=true&sendInitialEvents=true&resourceVersionMatch=Exact`);
    await api.watch(`${path}?watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=0`);
    await api.watch(`${path}?watch=true&sendInitialEvents=maybe&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`);
    await api.watch(`${path}?watch=true&continue=abc&timeoutSeconds=1`);
    await api.request({ path: `${path}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan` });
    await api.watch(`${path}?watch=true&labelSelector=a%3D%3D%3Db`);
    await api.watch(`${path}?watch=true&fieldSelector=data.x%3Db`);
  }),
  inNamespace("watch-selector", "an object that enters or leaves the selector is added or deleted", async (api) => {
    const maps = resource(stage(api), "configmaps");
    await maps.create(configMap("one"));
    const { body } = await api.request({ path: maps.path, select: ({ metadata, kind }) => ({ metadata, kind }) });
    const watch = await api.watch(
      `${maps.path}?watch=true&labelSelector=color%3Dred&resourceVersion=${body.metadata.resourceVersion}`,
    );
    await maps.merge("one", { metadata: { labels: { color: "red" } } });
    await maps.merge("one", { data: { a: "1" } });
    await maps.merge("one", { metadata: { labels: { color: "blue" } } });
    await maps.merge("one", { data: { a: "2" } });
    await maps.merge("one", { metadata: { labels: { color: "red" } } });
    await maps.delete("one");
    await maps.create(configMap("two", {}, { labels: { color: "red" } }));
    await watch.take(6);
  }),
  inNamespace("watch-field-selector", "the same for a field", async (api) => {
    const pods = resource(stage(api), "pods");
    const spec = { containers: [{ name: "a", image: "b" }] };
    await pods.create({ metadata: { name: "one" }, spec });
    await pods.create({ metadata: { name: "two" }, spec });
    const query = "?watch=true&resourceVersion=0&fieldSelector=spec.nodeName%3D";
    const watch = await api.watch(`${pods.path}${query}`, {
      select: ({ metadata, spec }) => ({ metadata, on: spec.nodeName }),
    });
    await watch.take(2);
    await api.quietly({
      method: "POST",
      path: `${pods.path}/one/binding`,
      body: { metadata: { name: "one" }, target: { kind: "Node", name: "n1" } },
    });
    await watch.take(1);
  }),
  inNamespace("watch-one", "a single object can be watched by its old path and by field", async (api) => {
    const maps = resource(stage(api), "configmaps");
    await maps.create(map("one"));
    await maps.create(map("two"));
    const old = await api.watch(`/api/v1/watch/namespaces/${api.namespace}/configmaps/one`);
    await old.take(1);
    const direct = await api.watch(`${maps.path}/one?watch=true&timeoutSeconds=1`);
    await direct.take(1);
  }),
  inNamespace("watch-order", "all watchers see the same events in the same order", async (api) => {
    const maps = resource(stage(api), "configmaps");
    const first = await api.watch(`${maps.path}?watch=true&${inCase}`);
    const all = await api.watch(
      `/api/v1/configmaps?watch=true&${inCase}&fieldSelector=metadata.namespace%3D${api.namespace}`,
    );
    for (const name of ["c", "a", "b"]) await maps.create(map(name));
    for (const name of ["b", "c", "a"]) await maps.merge(name, { data: { x: "1" } });
    for (const name of ["a", "c"]) await maps.delete(name);
    await first.take(8);
    await all.take(8);
  }),
  inNamespace("watch-timeout", "a watch ends when its time is over", async (api) => {
    const maps = resource(stage(api), "configmaps");
    const watch = await api.watch(`${maps.path}?watch=true&timeoutSeconds=1&${inCase}`);
    await maps.create(map("one"));
    await watch.drain();
  }),
  inNamespace("watch-future", "a watch of a version that is still to come says nothing before it", async (api) => {
    const maps = resource(stage(api), "configmaps");
    const watch = await api.watch(`${maps.path}?watch=true&resourceVersion=999999999&timeoutSeconds=1`);
    await maps.create(map("one"));
    await watch.drain();
  }),
  inNamespace("watch-bad-version", "versions that are none, or not yet", async (api) => {
    const { path } = resource(api, "configmaps");
    await api.watch(`${path}?watch=true&resourceVersion=nonsense`);
    await api.watch(`${path}?watch=true&resourceVersion=-1`);
  }),
  {
    // The cache of the real server reaches back to its start, and for a custom resource only to its definition.
    ...inNamespace("watch-compacted", "a watch of a version that is forgotten ends with 410", async (api) => {
      const widgets = await establish(api, definition(api, objectSchema({})));
      const { body } = await widgets.create(widget(api, "one"));
      await api.compact(body.metadata.resourceVersion);
      const watch = await api.watch(`${widgets.path}?watch=true&resourceVersion=1&timeoutSeconds=2`);
      await watch.drain();
      const now = await api.watch(`${widgets.path}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
      await widgets.merge("one", { metadata: { labels } });
      await now.take(1);
    }),
    runsAlone: true,
  },
  inNamespace("watch-bookmark", "the last thing that a watch with bookmarks says is how far it came", async (api) => {
    const maps = resource(stage(api), "configmaps");
    const query = `?watch=true&allowWatchBookmarks=true&timeoutSeconds=3&${inCase}`;
    const watch = await api.watch(`${maps.path}${query}`, { keepsBookmarks: true });
    await watch.take(1);
    await maps.create(map("one"));
    await watch.take(2);
  }),
];
