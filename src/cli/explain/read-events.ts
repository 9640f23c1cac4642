import type { KubeTransport } from "../../ports/kube-transport.ts";
import { describeAge } from "../terminal/describe.ts";

const mostShown = 3;

interface WireEvent {
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly lastTimestamp?: unknown;
  readonly eventTime?: unknown;
  readonly metadata?: { readonly creationTimestamp?: unknown };
}

/** What others have said of a pod lately, the newest first. */
export async function readEvents(
  transport: KubeTransport,
  { namespace, uid }: { readonly namespace: string; readonly uid: string },
  now: number,
): Promise<readonly string[]> {
  const selector = encodeURIComponent(`involvedObject.uid=${uid}`);
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events?fieldSelector=${selector}`;
  const { status, body } = await transport.send({ method: "GET", path });
  const items = (body as { readonly items?: unknown } | null)?.items;
  if (status !== 200 || !Array.isArray(items)) return [];
  return (items as readonly WireEvent[])
    .map((event) => ({ event, at: timeOf(event) }))
    .sort((a, b) => b.at - a.at)
    .filter(({ event }, index, all) => all.findIndex((one) => likeness(one.event) === likeness(event)) === index)
    .slice(0, mostShown)
    .map(({ event, at }) => `${describeAge(now - at)} ago  ${String(event.reason)}: ${String(event.message)}`);
}

/** What differs in its numbers only is said again and again. */
function likeness({ reason, message }: WireEvent): string {
  return `${String(reason)} ${String(message).replace(/[\d.]+[A-Za-z]*/g, "#")}`;
}

function timeOf({ lastTimestamp, eventTime, metadata }: WireEvent): number {
  const time = Date.parse(String(lastTimestamp ?? eventTime ?? metadata?.creationTimestamp));
  return Number.isNaN(time) ? 0 : time;
}
