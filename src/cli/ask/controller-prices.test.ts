import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelPod } from "../../../test/support/model-pod.ts";
import { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { KubeResponse, KubeTransport } from "../../ports/kube-transport.ts";
import { askController, offersIn } from "./controller-prices.ts";

const page = `# HELP karpenter_cloudprovider_instance_type_offering_price_estimate Dollars an hour.
# TYPE karpenter_cloudprovider_instance_type_offering_price_estimate gauge
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type="spot",instance_type="m5.large",zone="eu-west-1a"} 0.0401
karpenter_cloudprovider_instance_type_offering_price_estimate{instance_type="m5.large",capacity_type="on-demand",zone="eu-west-1a"} 1.07e-01 1767225600000
karpenter_cloudprovider_instance_type_offering_price_estimate{instance_type="m5.large",capacity_type="reserved",zone="eu-west-1a"} 0
karpenter_cloudprovider_instance_type_offering_price_estimate{instance_type="broken"
karpenter_cloudprovider_instance_type_offering_available{instance_type="m5.large",capacity_type="spot",zone="eu-west-1a"} 1
`;
const offers = new Map([
  ["m5.large spot eu-west-1a", 0.0401],
  ["m5.large on-demand eu-west-1a", 0.107],
]);

const pathOf = (name: string): string => `/api/v1/namespaces/karpenter/pods/${name}:8080/proxy/metrics`;

function ask(answers: Readonly<Record<string, KubeResponse>>) {
  const cluster = new ClusterState();
  const labels = new Map([["app.kubernetes.io/name", "karpenter"]]);
  for (const name of Object.keys(answers)) {
    cluster.pods.put(`karpenter/${name}`, { ...modelPod(name, { namespace: "karpenter", nodeName: "n" }), labels });
  }
  cluster.pods.put("default/web", modelPod("web", { nodeName: "n" }));
  const transport: KubeTransport = {
    async send({ path }) {
      const found = Object.entries(answers).find(([name]) => path === pathOf(name));
      if (found === undefined) throw new Error(`asked for ${path}`);
      return found[1];
    },
    watch: () => Promise.reject(new Error("nothing is watched")),
  };
  return askController(transport, cluster, 8080);
}

describe("prices of the controller", () => {
  it("are read as Prometheus reads them; what costs nothing is not sold", () => {
    assert.deepEqual(offersIn(page), offers);
  });

  it("are those of the replica that leads, which alone tells any", async () => {
    const answers = { idle: { status: 200, body: "go_goroutines 7\n" }, leads: { status: 200, body: page } };
    assert.deepEqual(await ask(answers), { offers });
  });

  it("are missing for a reason", async () => {
    assert.deepEqual(
      await Promise.all(
        [{}, { a: 200 }, { a: 403 }, { a: 503 }].map((statuses) => {
          const answers = Object.entries(statuses).map(([name, status]) => [
            name,
            { status: Number(status), body: "" },
          ]);
          return ask(Object.fromEntries(answers));
        }),
      ),
      [
        { why: "no controller runs here" },
        { why: "the controller tells no prices" },
        { why: "you may not get pods/proxy in karpenter, to ask the controller" },
        { why: "the controller's /metrics answers with 503" },
      ],
    );
  });
});
