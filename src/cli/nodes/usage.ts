import { milliValue, parseQuantity, wholeValue } from "../../core/model/quantity.ts";
import type { Resources } from "../../core/model/resources.ts";
import type { KubeTransport } from "../../ports/kube-transport.ts";
import { within } from "../ask/within.ts";

/** What nodes use of their processors and memory, by their names; undefined where nobody measures it. */
export type Usage = ReadonlyMap<string, Resources> | undefined;

/** What is measured, and what people should know of it where it should be and is not. */
export interface UsageAnswer {
  readonly usage: Usage;
  readonly notes: readonly string[];
}

/** Behind the metrics API is a server of its own, which may keep others waiting. */
const patience = 5_000;

/** Asks the metrics API, which not every cluster has. Never rejects. */
export async function readUsage(transport: KubeTransport): Promise<UsageAnswer> {
  try {
    const request = { method: "GET", path: "/apis/metrics.k8s.io/v1beta1/nodes" } as const;
    const { status, body } = await within(patience, transport.send(request));
    const usage = status === 200 ? usageIn(body) : undefined;
    if (usage !== undefined) return { usage, notes: [] };
    return { usage, notes: status === 404 ? [] : [`what is used is not shown: ${refusalOf(status, body)}`] };
  } catch (error) {
    const reason = (error as Error).message.replace(/^No whole answer to \w+ \S+: /, "");
    return { usage: undefined, notes: [`what is used is not shown: metrics.k8s.io gives no answer: ${reason}`] };
  }
}

function refusalOf(status: number, body: unknown): string {
  if (status === 200) return "metrics.k8s.io answers with something else than a list";
  if (status === 403) return "you may not list nodes of metrics.k8s.io";
  const message = (body as { readonly message?: unknown } | null)?.message;
  const said = typeof message === "string" && message !== "" ? `: ${message}` : "";
  return `metrics.k8s.io answers with ${status}${said}`;
}

function usageIn(body: unknown): Usage {
  const items = (body as { readonly items?: unknown } | null)?.items;
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
