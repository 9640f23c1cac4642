import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";
import type { KubeTransport } from "../../ports/kube-transport.ts";
import { controllerLabel } from "./running-controller.ts";
import { within } from "./within.ts";

/** Dollars an hour, by what `offerKey` makes of an offering. */
export type Offers = ReadonlyMap<string, number>;

/** Prices, or in words why there are none. */
export type OffersOrWhy = { readonly offers: Offers } | { readonly why: string };

const patience = 5_000;
const metric = "karpenter_cloudprovider_instance_type_offering_price_estimate{";

export function offerKey(offer: { instanceType: string; capacityType: string; zone: string }): string {
  return `${offer.instanceType} ${offer.capacityType} ${offer.zone}`;
}

/** What the controller that runs in the cluster reckons with, as it says at /metrics, through the API server. */
export async function askController(
  transport: KubeTransport,
  cluster: ClusterState,
  metricsPort: number,
): Promise<OffersOrWhy> {
  const pods = [...cluster.pods.values()].filter(
    (pod) => pod.labels.get(controllerLabel.key) === controllerLabel.value && pod.nodeName !== "" && !isFinished(pod),
  );
  let why = "no controller runs here";
  // Only the one that leads knows prices.
  for (const { namespace, name } of pods) {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}:${metricsPort}/proxy/metrics`;
    try {
      const { status, body } = await within(patience, transport.send({ method: "GET", path, accept: "text/plain" }));
      const offers = status === 200 && typeof body === "string" ? offersIn(body) : undefined;
      if (offers !== undefined && offers.size > 0) return { offers };
      why = describeStatus(status, namespace);
    } catch (error) {
      why = `the controller's /metrics cannot be reached: ${(error as Error).message}`;
    }
  }
  return { why };
}

function describeStatus(status: number, namespace: string): string {
  if (status === 200) return "the controller tells no prices";
  if (status === 403) return `you may not get pods/proxy in ${namespace}, to ask the controller`;
  return `the controller's /metrics answers with ${status}`;
}

/** Of a text as Prometheus reads it. What costs nothing is not sold. */
export function offersIn(text: string): Offers {
  const offers = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (!line.startsWith(metric)) continue;
    const end = line.lastIndexOf("}");
    const labels = new Map(
      Array.from(line.slice(metric.length, end).matchAll(/(\w+)="([^"]*)"/g), ([, key = "", value = ""]) => [
        key,
        value,
      ]),
    );
    const price = Number(
      line
        .slice(end + 1)
        .trim()
        .split(" ")[0],
    );
    const [instanceType, capacityType, zone] = ["instance_type", "capacity_type", "zone"].map((key) => labels.get(key));
    if (instanceType === undefined || capacityType === undefined || zone === undefined || !(price > 0)) continue;
    offers.set(offerKey({ instanceType, capacityType, zone }), price);
  }
  return offers;
}
