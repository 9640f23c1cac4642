import type { ContractCase } from "../contract-case.ts";
import { inNamespace, resource, stage } from "../resource.ts";
import { configMap, deployment, podTemplate } from "./samples.ts";

function withOwners(contractCase: ContractCase): ContractCase {
  return { ...contractCase, keepsManagedFields: true, sortsCauses: true };
}

function applied(data: Readonly<Record<string, unknown>>, metadata: object = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", ...metadata }, data };
}

const as = (manager: string, more = "") => `?fieldManager=${manager}${more}`;

export const applyCases: readonly ContractCase[] = [
  withOwners(
    inNamespace("apply-creates", "the first apply creates, and owns what it names", async (api) => {
      const maps = resource(api, "configmaps");
      await maps.apply("one", applied({ a: "1" }, { labels: { x: "1" } }), as("first"));
      await maps.apply("one", applied({ a: "1" }, { labels: { x: "1" } }), as("first"));
      await maps.apply("one", applied({ a: "2" }, { labels: { x: "1" } }), as("first"));
    }),
  ),
  withOwners(
    inNamespace("apply-removes", "what an applier no longer names goes, unless another owns it", async (api) => {
      const maps = resource(api, "configmaps");
      await maps.apply("one", applied({ a: "1", b: "2" }), as("first"));
      await maps.apply("one", applied({ b: "2", c: "3" }), as("second"));
      await maps.apply("one", applied({}), as("first"));
      await maps.apply("one", applied({ c: "3" }), as("second"));
    }),
  ),
  withOwners(
    inNamespace("apply-conflict", "appliers that disagree learn with whom and where", async (api) => {
      const maps = resource(api, "configmaps");
      await maps.apply("one", applied({ a: "1", b: "2" }), as("first"));
      await maps.apply("one", applied({ a: "9" }), as("second"));
      await maps.apply("one", applied({ a: "9", b: "9" }), as("second"));
      await maps.apply("one", applied({ a: "9" }), as("second", "&force=true"));
      await maps.apply("one", applied({ a: "1", b: "2" }), as("first"));
      await maps.apply("one", applied({ a: "9", b: "2" }), as("first"));
    }),
  ),
  withOwners(
    inNamespace("apply-after-update", "an update takes over what it changes", async (api) => {
      const maps = resource(api, "configmaps");
      await maps.apply("one", applied({ a: "1", b: "2" }), as("first"));
      await maps.merge("one", { data: { a: "5" } }, as("editor"));
      await maps.apply("one", applied({ a: "1", b: "2" }), as("first"));
      await maps.apply("one", applied({ a: "1", b: "2" }), as("first", "&force=true"));
      await maps.replace("one", applied({ b: "7" }), as("replacer"));
    }),
  ),
  inNamespace("apply-onto-created", "apply onto an object that was created by other means", async (api) => {
    const maps = resource(api, "configmaps");
    await resource(stage(api), "configmaps").create(configMap("one", { a: "1", b: "1" }), as("creator"));
    await maps.apply("one", applied({ a: "1" }), as("first"));
    await maps.apply("one", applied({ a: "2" }), as("first"));
    await maps.apply("one", applied({ a: "2" }), as("first", "&force=true"));
  }),
  withOwners(
    inNamespace("apply-deployment", "lists with keys are owned item by item", async (api) => {
      const deployments = resource(api, "apps/v1/deployments");
      const container = (name: string, more: object = {}) => ({ name, image: `example.com/${name}`, ...more });
      const configuration = (containers: unknown[], spec: object = {}) => ({
        ...deployment("one"),
        spec: { selector: { matchLabels: { app: "web" } }, template: podTemplate({ containers }), ...spec },
      });
      await deployments.apply(
        "one",
        configuration([container("a", { env: [{ name: "X", value: "1" }], ports: [{ containerPort: 80 }] })]),
        as("first"),
      );
      await deployments.apply("one", configuration([container("b", { args: ["x"] })]), as("second"));
      await deployments.apply("one", configuration([container("b")], { replicas: 3 }), as("first"));
      await deployments.apply("one", configuration([container("b")], { replicas: 4 }), as("second"));
      await deployments.apply("one", configuration([{ name: "b", image: "example.com/other" }]), as("third"));
    }),
  ),
  inNamespace("apply-refused", "applies that cannot be", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.apply("one", applied({ a: "1" }));
    await maps.apply("one", { metadata: { name: "one" } }, as("me"));
    await maps.apply("one", { apiVersion: "v1", kind: "Secret", metadata: { name: "one" } }, as("me"));
    await maps.apply("one", applied({ a: "1" }, { name: "other" }), as("me"));
    await maps.apply("one", applied({ a: "1" }, { namespace: "other" }), as("me"));
    await maps.apply("one", applied({ a: 1 }), as("me"));
    await maps.apply("one", { ...applied({}), unknown: "field" }, as("me"));
    await maps.apply("one", applied({}, { resourceVersion: "1" }), as("me"));
    await maps.apply("one", applied({}, { uid: "11111111-2222-4333-8444-555555555555" }), as("me"));
    await maps.apply("one", applied({}, { managedFields: [{ manager: "x" }] }), as("me"));
    await maps.apply("one", "{", as("me"));
    await maps.apply("one", "[]", as("me"));
    await maps.apply("one", applied({}), as("x".repeat(129)));
    await maps.merge("one", {}, "?fieldManager=me&force=true");
    await maps.get("one");
  }),
  inNamespace("apply-yaml", "an applied configuration is YAML", async (api) => {
    const maps = resource(api, "configmaps");
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: '1'\n";
    await maps.apply("one", yaml, as("me"));
    await maps.apply("one", yaml.replace("a:", "b:"), as("me"));
    await maps.apply("one", "a: b: c", as("me"));
  }),
  withOwners(
    inNamespace("apply-dry-run", "a dry run shows the outcome and stores nothing", async (api) => {
      const maps = resource(api, "configmaps");
      await maps.apply("one", applied({ a: "1" }), as("me", "&dryRun=All"));
      await maps.get("one");
      await maps.apply("one", applied({ a: "1" }), as("me"));
      await maps.apply("one", applied({ a: "2" }), as("me", "&dryRun=All"));
      await maps.apply("one", applied({ a: "3" }), as("other", "&dryRun=All"));
      await maps.get("one");
    }),
  ),
  withOwners(
    inNamespace("apply-status", "status is applied by itself", async (api) => {
      const deployments = resource(api, "apps/v1/deployments");
      await resource(stage(api), "apps/v1/deployments").create(deployment("one"), as("creator"));
      const configuration = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "one" } };
      await deployments.apply("one/status", { ...configuration, status: { observedGeneration: 1 } }, as("me"));
      await deployments.apply("one/status", { ...configuration, spec: { replicas: 9 } }, as("me"));
      await deployments.apply("two/status", { ...configuration, metadata: { name: "two" } }, as("me"));
    }),
  ),
  withOwners(
    inNamespace("apply-managers", "every writer is noted, and managed fields can be cleared", async (api) => {
      const maps = resource(api, "configmaps");
      await maps.create(configMap("one", { a: "1" }), as("creator"));
      await maps.merge("one", { data: { b: "2" } }, as("editor"));
      await maps.merge("one", { data: { a: "2" } }, as("editor"));
      await maps.merge("one", { data: { c: "2" } });
      await maps.merge("one", { metadata: { managedFields: [{}] } });
    }),
  ),
];
