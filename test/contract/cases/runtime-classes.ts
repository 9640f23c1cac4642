import type { ContractCase, Recorder } from "../contract-case.ts";
import { clusterResource, inNamespace, type Resource, resource, stage } from "../resource.ts";
import { pod } from "./samples.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const scheduling = {
  nodeSelector: { sandbox: "true" },
  tolerations: [{ key: "sandbox", operator: "Exists", effect: "NoSchedule" }],
};

function runtimeClasses(api: Recorder): Resource {
  return clusterResource(api, "node.k8s.io/v1/runtimeclasses");
}

/** Creates a class for pods of the case and removes it afterwards. Returns its name. */
async function stageClass(api: Recorder, suffix: string, fields: object): Promise<string> {
  const name = `${api.prefix}-${suffix}`;
  const classes = runtimeClasses(stage(api));
  api.afterwards({ method: "DELETE", path: `${classes.path}/${name}` });
  await classes.create({ metadata: { name }, handler: "sandbox", ...fields });
  return name;
}

export const runtimeClassCases: readonly ContractCase[] = [
  {
    name: "runtime-classes",
    about: "a runtime class is created, changed, listed and deleted",
    async run(api) {
      const classes = runtimeClasses(api);
      const metadata = { name: api.prefix, labels: { of: api.prefix } };
      const overhead = { podFixed: { cpu: "250m", memory: "120Mi" } };
      const { body } = await classes.create({ metadata, handler: "sandbox", overhead, scheduling });
      await classes.list(`?labelSelector=of%3D${api.prefix}`);
      await classes.list(`?labelSelector=of%3D${api.prefix}`, table);
      await classes.merge(api.prefix, { overhead: { podFixed: { cpu: "0.5" } } });
      await classes.merge(api.prefix, { scheduling: { nodeSelector: { "beta.kubernetes.io/arch": "amd64" } } });
      await classes.replace(api.prefix, { metadata, handler: "sandbox" });
      await classes.replace(api.prefix, { ...body, scheduling: undefined });
      await classes.get(api.prefix);
      await classes.delete(api.prefix);
      await classes.replace(api.prefix, { metadata, handler: "sandbox" });
      await classes.delete(api.prefix);
    },
  },
  {
    name: "runtime-class-rules",
    about: "what a runtime class may say, and that its handler does not change",
    async run(api) {
      const classes = runtimeClasses(api);
      const metadata = { name: api.prefix };
      api.afterwards({ method: "DELETE", path: `${classes.path}/${api.prefix}` });
      const tryFields = (fields: object) => classes.create({ metadata, handler: "sandbox", ...fields });
      const tryTolerations = (...tolerations: object[]) => tryFields({ scheduling: { tolerations } });
      await classes.create({ metadata });
      await tryFields({ metadata: { name: "Bad_Name" } });
      await tryFields({ handler: "not.a.label" });
      await tryFields({ handler: "Not a label" });
      await tryFields({ overhead: { podFixed: { cpu: "-1" } } });
      await tryFields({ overhead: { podFixed: { unknown: "1" } } });
      await tryFields({ overhead: { podFixed: { "example.com/device": "1500m" } } });
      await tryFields({ overhead: { podFixed: { "hugepages-2Mi": "2Mi" } } });
      await tryFields({ overhead: { podFixed: { cpu: "much" } } });
      await tryFields({ scheduling: { nodeSelector: { "not a key": "not a value" } } });
      await tryTolerations({ key: "a", operator: "Odd" });
      await tryTolerations({ key: "a", operator: "Exists", value: "b" });
      const seconds = { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 };
      await tryTolerations(seconds, { ...seconds, tolerationSeconds: 6 });
      await tryTolerations({ key: "a" }, { key: "b" }, { key: "a" });
      await tryFields({ overhead: {}, scheduling: {} });
      await classes.merge(api.prefix, { handler: "other" });
      await classes.merge(api.prefix, { handler: "Not a label" });
      await classes.merge(api.prefix, { handler: null });
      await classes.merge(api.prefix, { scheduling: { tolerations: [{ operator: "Equal" }] } });
    },
  },
  inNamespace("runtime-class-pods", "pods get overhead and scheduling of their class", async (api) => {
    const runtimeClassName = await stageClass(api, "1", {
      overhead: { podFixed: { cpu: "250m", memory: "120Mi" } },
      scheduling,
    });
    const pods = resource(api, "pods");
    await pods.create(pod("one", { runtimeClassName }));
    const own = { key: "own", operator: "Exists" };
    const nodeSelector = { disk: "fast", sandbox: "true" };
    const { body } = await pods.create(
      pod("two", {
        runtimeClassName,
        nodeSelector,
        tolerations: [own, ...scheduling.tolerations],
        overhead: { cpu: "0.25", memory: "120Mi" },
      }),
    );
    await pods.replace("two", { ...body, metadata: { ...body.metadata, labels: { changed: "yes" } } });
    await pods.create(pod("three", { runtimeClassName, nodeSelector: { sandbox: "false" } }));
    await pods.create(pod("three", { runtimeClassName, overhead: { cpu: "250m" } }));
    await pods.create(pod("three", { runtimeClassName, overhead: { cpu: "250m", memory: "1Gi" } }));
    await pods.create(pod("three", { runtimeClassName: `${api.prefix}-none` }));
    await pods.create(pod("three", { runtimeClassName: `${api.prefix}-none`, priorityClassName: "none" }));
    await pods.create(pod("three", { overhead: { cpu: "250m" } }));
    await pods.merge("one", { spec: { overhead: { cpu: "1" } } });
    for (const name of ["one", "two"]) await resource(stage(api), "pods").delete(name);
  }),
  inNamespace("runtime-class-merges", "tolerations that another one includes are left out", async (api) => {
    const wide = await stageClass(api, "wide", { scheduling: { tolerations: [{ operator: "Exists" }] } });
    const narrow = await stageClass(api, "narrow", {
      scheduling: {
        tolerations: [
          { key: "a", operator: "Equal", value: "1", effect: "NoSchedule" },
          { key: "b", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 },
          { key: "c", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 },
          { key: "d", value: "1" },
        ],
      },
    });
    const bare = await stageClass(api, "bare", { overhead: {}, scheduling: {} });
    const plain = await stageClass(api, "plain", {});
    const pods = resource(api, "pods");
    const tolerations = [
      { key: "a", operator: "Exists" },
      { key: "b", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 },
      { key: "c", operator: "Exists", effect: "NoExecute" },
      { key: "d", operator: "Equal", value: "1" },
      { key: "d", value: "1" },
    ];
    const tryClass = (runtimeClassName: string, fields: object = {}) =>
      pods.create(pod("one", { runtimeClassName, ...fields }), "?dryRun=All");
    await tryClass(wide);
    await tryClass(narrow);
    await tryClass(narrow, { tolerations });
    await tryClass(bare, { tolerations, nodeSelector: {} });
    await tryClass(plain, { tolerations });
    await tryClass(plain, { overhead: { cpu: "1" } });
    await tryClass(bare, { overhead: { cpu: "1" } });
    await tryClass("");
    await tryClass(plain, { overhead: {} });
  }),
];
