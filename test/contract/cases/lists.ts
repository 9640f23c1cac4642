import type { ContractCase, Json, Recorder } from "../contract-case.ts";
import { clusterResource, inNamespace, resource, stage } from "../resource.ts";
import { configMap, deployment, node, pod } from "./samples.ts";

async function createMaps(api: Recorder, objects: Readonly<Record<string, Readonly<Record<string, string>>>>) {
  for (const [name, labels] of Object.entries(objects))
    await resource(stage(api), "configmaps").create(configMap(name, {}, { labels: { in: "case", ...labels } }));
}

const abcde = { a: {}, b: {}, c: {}, d: {}, e: {} };
const names = ({ items, ...list }: Json) => ({ ...list, items: items.map(({ metadata }: Json) => metadata.name) });

export const listCases: readonly ContractCase[] = [
  inNamespace("list-pages", "a list comes in pages", async (api) => {
    await createMaps(api, abcde);
    const { path } = resource(api, "configmaps");
    const { body: first } = await api.request({ path: `${path}?limit=2`, select: names });
    const next = (token: unknown) => api.request({ path: `${path}?limit=2&continue=${token}`, select: names });
    const { body: second } = await next(first.metadata.continue);
    await next(second.metadata.continue);
    await api.request({ path: `${path}?continue=${first.metadata.continue}`, select: names });
    await api.request({ path: `${path}?limit=5`, select: names });
    await api.request({ path: `${path}?limit=0`, select: names });
    await api.request({ path: `${path}?limit=100`, select: names });
  }),
  inNamespace("list-pages-selected", "with a selector nobody knows how many remain", async (api) => {
    await createMaps(api, abcde);
    const { path } = resource(api, "configmaps");
    const query = `${path}?limit=2&labelSelector=in%3Dcase`;
    const { body } = await api.request({ path: query, select: names });
    await api.request({ path: `${query}&continue=${body.metadata.continue}`, select: names });
    await api.request({ path: `${path}?limit=1&fieldSelector=metadata.name%3Dc`, select: names });
  }),
  inNamespace("list-pages-consistent", "pages show one moment, whatever happens meanwhile", async (api) => {
    await createMaps(api, abcde);
    const maps = resource(stage(api), "configmaps");
    const query = `${maps.path}?limit=2&labelSelector=in%3Dcase`;
    const { body: first } = await api.request({ path: query });
    await maps.delete("c");
    await maps.create(configMap("cc", {}, { labels: { in: "case" } }));
    await maps.merge("d", { data: { new: "value" } });
    const { body: second } = await api.request({ path: `${query}&continue=${first.metadata.continue}` });
    await api.request({ path: `${query}&continue=${second.metadata.continue}` });
  }),
  inNamespace("list-pages-bad", "continue tokens that are none", async (api) => {
    await createMaps(api, abcde);
    const { path } = resource(api, "configmaps");
    const { body } = await resource(stage(api), "configmaps").list("?limit=2");
    const token = body.metadata.continue;
    await api.request({ path: `${path}?continue=nonsense` });
    await api.request({ path: `${path}?continue=${Buffer.from("{}").toString("base64url")}` });
    await api.request({ path: `${path}?continue=${token}&resourceVersion=5` });
    await api.request({ path: `${path}?continue=${token}&resourceVersion=0`, select: names });
    await api.request({ path: `${path}?continue=${token}&resourceVersionMatch=Exact` });
    await api.request({ path: `${path}?limit=-1`, select: names });
    await api.request({ path: `${path}?limit=many`, select: names });
    await api.request({ path: `${path}?limit=2&watch=false`, select: names });
  }),
  {
    ...inNamespace("list-pages-expired", "a continue token expires with the version that it shows", async (api) => {
      await createMaps(api, abcde);
      const maps = resource(stage(api), "configmaps");
      const { body } = await maps.list("?limit=2");
      const changed = await maps.merge("e", { data: { new: "value" } });
      await api.compact(changed.body.metadata.resourceVersion);
      const { body: expired } = await api.request({ path: `${maps.path}?limit=2&continue=${body.metadata.continue}` });
      const query = `${maps.path}?limit=2&continue=${expired.metadata?.continue}`;
      await api.request({ path: query, select: names });
      await api.request({ path: `${maps.path}?resourceVersion=2&resourceVersionMatch=Exact` });
    }),
    runsAlone: true,
  },
  inNamespace("list-labels", "labels are selected by every operator", async (api) => {
    await createMaps(api, {
      a: { color: "red", size: "1" },
      b: { color: "blue", size: "20" },
      c: { color: "green" },
      d: { "example.com/x": "" },
    });
    const { path } = resource(api, "configmaps");
    const selectors = [
      ...["color=red", "color==red", "color!=red", "color", "!color", "color in (red,blue)", "color notin (red, blue)"],
      ...["color=red,size=1", "color=red,size=2", "size>1", "size<20", "example.com/x=", "example.com/x", "color="],
      ...["color in (red)", " color = red ", "color in ()", "!example.com/x,in", "color notin (red),size"],
    ];
    for (const selector of selectors)
      await api.request({ path: `${path}?labelSelector=${encodeURIComponent(selector)}`, select: names });
  }),
  inNamespace("list-labels-bad", "a label selector that cannot be read", async (api) => {
    const { path } = resource(api, "configmaps");
    const selectors = [
      ...["a===b", "a in red", "a in (red", "=b", "a,,b", "a b", "a=b c", "(a)", "a>x", "a notin", "!a=b"],
      ...["UPPER_case=ok", "bad key!=x", "a=-bad-", "a=b/c", "toolong/toolong/x", `${"x".repeat(64)}=1`, ","],
    ];
    for (const selector of selectors)
      await api.request({ path: `${path}?labelSelector=${encodeURIComponent(selector)}`, select: names });
  }),
  inNamespace("list-fields", "fields that can be selected, and those that cannot", async (api) => {
    await createMaps(api, { a: {}, b: {} });
    const { path } = resource(api, "configmaps");
    const selectors = [
      ...["metadata.name=a", "metadata.name==a", "metadata.name!=a", `metadata.namespace=${api.namespace}`],
      ...["metadata.namespace=other", "metadata.name=a,metadata.name=b", "metadata.name=", "data.a=1"],
      ...[
        "metadata.uid=1",
        "metadata.name",
        "metadata.name in (a)",
        "=a",
        "metadata.labels.x=y",
        "metadata.name=a\\,b",
      ],
    ];
    for (const selector of selectors)
      await api.request({ path: `${path}?fieldSelector=${encodeURIComponent(selector)}`, select: names });
  }),
  inNamespace("list-fields-of-pods", "pods are selected by node, phase and more", async (api) => {
    const pods = resource(stage(api), "pods");
    await pods.create(pod("a", { nodeName: "n1" }));
    await pods.create(pod("b", { restartPolicy: "Never" }));
    await pods.create(pod("c", { schedulerName: "other", serviceAccountName: "default" }));
    await pods.merge("b/status", { status: { phase: "Succeeded", podIP: "192.0.2.9", podIPs: [{ ip: "192.0.2.9" }] } });
    await pods.merge("c/status", { status: { nominatedNodeName: "n2" } });
    const selectors = [
      ...["spec.nodeName=n1", "spec.nodeName=", "spec.nodeName!=", "status.phase=Pending", "status.phase!=Succeeded"],
      ...["spec.restartPolicy=Never", "spec.schedulerName=other", "spec.serviceAccountName=default"],
      ...["status.podIP=192.0.2.9", "status.nominatedNodeName=n2", "spec.hostNetwork=false", "spec.priority=0"],
      "spec.nodeName=n1,status.phase=Pending",
    ];
    for (const selector of selectors) {
      const path = `${pods.path}?fieldSelector=${encodeURIComponent(selector)}`;
      await api.request({ path, select: names });
    }
  }),
  inNamespace("list-fields-of-others", "each kind has its own fields", async (api) => {
    const ask = async (kind: string, selector: string) =>
      api.request({ path: `${resource(api, kind).path}?fieldSelector=${encodeURIComponent(selector)}`, select: names });
    await resource(stage(api), "secrets").create({ metadata: { name: "s" }, type: "example.com/x" });
    await resource(stage(api), "apps/v1/deployments").create(deployment("d"));
    await ask("secrets", "type=example.com/x");
    await ask("apps/v1/deployments", "metadata.name=d");
    await ask("apps/v1/deployments", "status.replicas=0");
    await ask("apps/v1/replicasets", "status.replicas=0");
    await ask("batch/v1/jobs", "status.successful=0");
    await ask("events", "involvedObject.name=x");
    await ask("events", "reason=x,type=Normal,source=y,involvedObject.kind=Pod");
    await ask("events", "regarding.name=x");
    await ask("events.k8s.io/v1/events", "regarding.name=x");
    await ask("events.k8s.io/v1/events", "involvedObject.name=x");
    await ask("services", "spec.clusterIP=None");
    await ask("coordination.k8s.io/v1/leases", "spec.holderIdentity=x");
  }),
  {
    name: "list-fields-of-nodes",
    about: "nodes and namespaces are selected by their own fields",
    async run(api) {
      const nodes = clusterResource(stage(api), "nodes");
      await nodes.create(node(api.prefix, { spec: { unschedulable: true } }));
      api.afterwards({ method: "DELETE", path: `${nodes.path}/${api.prefix}` });
      const ask = async (kind: string, selector: string) =>
        api.request({ path: `/api/v1/${kind}?fieldSelector=${encodeURIComponent(selector)}`, select: names });
      await ask("nodes", `spec.unschedulable=true,metadata.name=${api.prefix}`);
      await ask("nodes", `spec.unschedulable=false,metadata.name=${api.prefix}`);
      await ask("nodes", "spec.providerID=x");
      await ask("namespaces", "status.phase=Active,metadata.name=kube-system");
      await ask("namespaces", "spec.finalizers=x");
    },
  },
  inNamespace("list-versions", "which version of a list the client accepts", async (api) => {
    await createMaps(api, { a: {} });
    const maps = resource(stage(api), "configmaps");
    const { body: before } = await maps.merge("a", { data: { n: "1" } });
    await maps.merge("a", { data: { n: "2" } });
    const at = before.metadata.resourceVersion;
    const ask = (query: string) =>
      api.request({ path: `${maps.path}?fieldSelector=metadata.name%3Da${query}`, select: ({ items }) => items });
    await ask("");
    await ask("&resourceVersion=0");
    await ask(`&resourceVersion=${at}`);
    await ask(`&resourceVersion=${at}&resourceVersionMatch=NotOlderThan`);
    await ask(`&resourceVersion=${at}&resourceVersionMatch=Exact`);
    await ask("&resourceVersion=0&resourceVersionMatch=NotOlderThan");
    await ask("&resourceVersion=0&resourceVersionMatch=Exact");
    await ask("&resourceVersionMatch=Exact");
    await ask("&resourceVersionMatch=NotOlderThan");
    await ask(`&resourceVersion=${at}&resourceVersionMatch=Sometimes`);
    await ask("&resourceVersion=nonsense");
    await ask("&resourceVersion=-1");
    await api.request({ path: `${maps.path}/a?resourceVersion=0` });
    await api.request({ path: `${maps.path}/a?resourceVersion=${at}` });
    await api.request({ path: `${maps.path}/a?resourceVersion=nonsense` });
  }),
  inNamespace("list-future", "a version that is not there yet", async (api) => {
    const { path } = resource(api, "configmaps");
    await api.request({ path: `${path}?resourceVersion=99999999` });
    await api.request({ path: `${path}?resourceVersion=99999999&resourceVersionMatch=Exact` });
    await api.request({ path: `${path}/a?resourceVersion=99999999` });
  }),
  inNamespace("list-empty", "lists of nothing, and of namespaces that are not there", async (api) => {
    await resource(api, "configmaps").list("?fieldSelector=metadata.name%3Dnone");
    await resource(api, "apps/v1/deployments").list();
    await api.request({ path: "/api/v1/namespaces/not-there/pods" });
    await api.request({ path: "/api/v1/namespaces/not-there/pods?limit=1" });
    await api.request({ path: "/api/v1/namespaces/not-there/pods/x" });
  }),
];
