import { milliValue, parseQuantity, wholeValue } from "../../core/model/quantity.ts";
import type { Resources } from "../../core/model/resources.ts";
import type { KubeTransport } from "../../ports/kube-transport.ts";

/** What nodes use of their processors and memory, by their names; undefined where nobody measures it. */
export type Usage = ReadonlyMap<string, Resources> | undefined;

/** Asks the metrics API, which not every cluster has. */
export async function readUsage(transport: KubeTransport): Promise<Usage> {
  try {
    const { status, body } = await transport.send({ method: "GET", path: "/apis/metrics.k8s.io/v1beta1/nodes" });
    return status === 200 ? usageIn(body) : undefined;
  } catch {
    // That the cluster cannot be reached is told by those who need it.
    return undefined;
  }
}

function usageIn(body: unknown): Usage {
  const { items } = body as { readonly items?: unknown };
  if (!Array.isArray(items)) return undefined;
  const usage = new Map<string, Resources>();
  for (const item of items as readonly { metadata?: { name?: unknown }; usage?: Record<string, unknown> }[]) {
    const name = item?.metadata?.name;
    const cpu = parseQuantity(String(item?.usage?.cpu));
    const memory = parseQuantity(String(item?.usage?.memory));
    if (typeof name !== "string" || cpu === undefined || memory === undefined) continue;
    usage.set(
      name,
      new Map([
        ["cpu", milliValue(cpu)],
        ["memory", wholeValue(memory)],
      ]),
    );
  }
  return usage;
}
