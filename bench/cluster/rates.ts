import type { KubeTransport } from "../../src/ports/kube-transport.ts";
import { podNamed } from "./objects.ts";

/** How many of each a client gets done in a second. */
export interface Rates {
  readonly podsCreatedPerSecond: number;
  readonly podsPatchedPerSecond: number;
  readonly podsGotPerSecond: number;
  /** Pods in the answers to lists of all of them. */
  readonly podsListedPerSecond: number;
  /** Events that arrive at one of ten watches, while pods are patched. */
  readonly eventsDeliveredPerSecond: number;
}

const pods = "/api/v1/namespaces/default/pods";

/** Does everything once with so many pods; requests of a client go out `parallel` at a time. */
export async function measureRates(
  transport: KubeTransport,
  { count, parallel }: { count: number; parallel: number },
): Promise<Rates> {
  const each = (act: (i: number) => Promise<unknown>) => rate(count, parallel, act);
  const created = await each((i) =>
    transport
      .send({ method: "POST", path: pods, contentType: "application/json", body: podNamed(`pod-${i}`, "default") })
      .then(expect(201)),
  );
  const patched = await each((i) => transport.send(patch(i, "first")).then(expect(200)));
  const got = await each((i) => transport.send({ method: "GET", path: `${pods}/pod-${i}` }).then(expect(200)));
  const lists = 5;
  const listed = await rate(lists, 1, () => transport.send({ method: "GET", path: pods }).then(expect(200)));
  return {
    podsCreatedPerSecond: created,
    podsPatchedPerSecond: patched,
    podsGotPerSecond: got,
    podsListedPerSecond: Math.round(listed * count),
    eventsDeliveredPerSecond: await measureDelivery(transport, count, parallel),
  };
}

async function measureDelivery(transport: KubeTransport, count: number, parallel: number): Promise<number> {
  const watches = 10;
  const list = (await transport.send({ method: "GET", path: `${pods}?limit=1` })).body as {
    metadata: { resourceVersion: string };
  };
  const expected = count * watches;
  let delivered = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const path = `${pods}?watch=true&resourceVersion=${list.metadata.resourceVersion}`;
  const onEvent = (): void => {
    if (++delivered === expected) resolve();
  };
  const closing = await Promise.all(
    Array.from({ length: watches }, () =>
      transport.watch(
        { method: "GET", path },
        {
          onEvent,
          onEnd: () => reject(new Error("a watch ended")),
          onRefusal: () => reject(new Error("a watch was refused")),
        },
      ),
    ),
  );
  const start = performance.now();
  await rate(count, parallel, (i) => transport.send(patch(i, "second")));
  await promise;
  const seconds = (performance.now() - start) / 1000;
  for (const close of closing) close();
  return Math.round(delivered / seconds);
}

function patch(i: number, value: string) {
  const body = { metadata: { annotations: { "example.com/patched": value } } };
  return { method: "PATCH" as const, path: `${pods}/pod-${i}`, contentType: "application/merge-patch+json", body };
}

function expect(status: number) {
  return (response: { status: number; body: unknown }): void => {
    if (response.status !== status)
      throw new Error(`expected ${status}, got ${response.status}: ${JSON.stringify(response.body)}`);
  };
}

async function rate(count: number, parallel: number, act: (i: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return Math.round(count / ((performance.now() - start) / 1000));
}
