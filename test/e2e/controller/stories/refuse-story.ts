import type { Story } from "../scene.ts";

const name = "refuse";
const words = "nobody leaves before the show is over";
const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const bindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

/** Somebody besides budgets decides against evictions. */
export const refuseStory: Story = {
  name,
  about: "a policy that refuses evictions is quoted on the node, and the drain goes on when it is gone",
  hasFaults: true,
  async play(scene) {
    const { api, namespace } = scene;
    await scene.addPool(name);
    await scene.addDeployment("web", 1, { pool: name });
    const [pod] = await scene.untilRunning("web", 1);
    const nodeName = pod?.spec?.nodeName ?? "";
    await api.create(policies, {
      metadata: { name },
      spec: {
        matchConstraints: {
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
          resourceRules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods/eviction"] },
          ],
        },
        validations: [{ expression: "false", message: words }],
      },
    });
    await api.create(bindings, { metadata: { name }, spec: { policyName: name, validationActions: ["Deny"] } });
    const eviction = `/api/v1/namespaces/${namespace}/pods/${pod?.metadata?.name}/eviction`;
    await scene.until("the policy refuses evictions", async () => {
      const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod?.metadata?.name, namespace } };
      return (await api.send("POST", `${eviction}?dryRun=All`, body)).status >= 400;
    });
    await scene.kubectl(`delete node ${nodeName} --wait=false`);
    await scene.untilEvent(["Node", nodeName], "FailedDraining", new RegExp(words));
    const isThere = async () => (await scene.nodes(name)).some(({ metadata }) => metadata?.name === nodeName);
    scene.check(await isThere(), "the node went although its pod may not be evicted");
    await api.remove(`${bindings}/${name}`);
    await api.remove(`${policies}/${name}`);
    await scene.until("the node is gone after the policy went", async () => !(await isThere()));
    await scene.untilRunning("web", 1);
  },
};
