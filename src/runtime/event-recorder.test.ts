import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Clock } from "../ports/clock.ts";
import type { KubeRequest, KubeResponse } from "../ports/kube-transport.ts";
import type { Happening } from "../ports/telemetry.ts";
import { EventRecorder } from "./event-recorder.ts";

const start = Date.UTC(2026, 0, 2, 3, 4, 5);
const minute = 60_000;

const nominated: Happening = {
  object: { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "web-1", uid: "u1" },
  type: "Normal",
  reason: "Nominated",
  message: "Pod should schedule on: nodeclaim/a",
};
const blocked: Happening = {
  object: { apiVersion: "karpenter.sh/v1", kind: "NodePool", name: "default", uid: "u2" },
  type: "Normal",
  reason: "DisruptionBlocked",
  message: "No allowed disruptions",
};

suite("event recorder", () => {
  test("an Event is written beside its object", async () => {
    const { recorder, requests } = await listen();
    recorder.publish(nominated);
    assert.deepEqual(requests, [
      {
        method: "POST",
        path: "/api/v1/namespaces/shop/events",
        body: {
          apiVersion: "v1",
          kind: "Event",
          metadata: { name: `web-1.${(BigInt(start) * 1_000_000n + 500_000n).toString(16)}`, namespace: "shop" },
          involvedObject: { apiVersion: "v1", kind: "Pod", name: "web-1", uid: "u1", namespace: "shop" },
          type: "Normal",
          reason: "Nominated",
          message: "Pod should schedule on: nodeclaim/a",
          count: 1,
          firstTimestamp: "2026-01-02T03:04:05Z",
          lastTimestamp: "2026-01-02T03:04:05Z",
          source: { component: "karpenter" },
          reportingComponent: "karpenter",
          reportingInstance: "",
        },
      },
    ]);
  });

  test("an Event about a cluster-scoped object is in the namespace default", async () => {
    const { recorder, requests, bodies } = await listen();
    recorder.publish(blocked);
    assert.equal(requests[0]?.path, "/api/v1/namespaces/default/events");
    assert.equal(bodies()[0]?.involvedObject.namespace, undefined);
  });

  test("a long name and a long message are cut to what the API takes", async () => {
    const { recorder, bodies } = await listen();
    recorder.publish({
      ...blocked,
      object: { ...blocked.object, name: `${"a".repeat(235)}-${"b".repeat(17)}` },
      message: "m".repeat(5_000),
    });
    const { metadata, message } = bodies()[0]!;
    assert.match(metadata.name, /^a{235}\.[0-9a-f]{16}$/);
    assert.equal(message.length, 1_024);
  });

  test("the same is said once in two minutes, and then counted", async () => {
    const { recorder, requests, bodies, advance } = await listen();
    recorder.publish(blocked);
    await advance(2 * minute - 1);
    recorder.publish(blocked);
    await advance(1);
    recorder.publish(blocked);
    await advance(0);
    const { name } = bodies()[0]!.metadata;
    assert.deepEqual(requests.slice(1), [
      {
        method: "PATCH",
        path: `/api/v1/namespaces/default/events/${name}`,
        contentType: "application/merge-patch+json",
        body: { count: 2, lastTimestamp: "2026-01-02T03:06:05Z" },
      },
    ]);
  });

  test("an Event that is no longer there is written anew", async () => {
    const { recorder, methods, advance } = await listen((request) => ({
      status: request.method === "PATCH" ? 404 : 201,
    }));
    recorder.publish(blocked);
    await advance(2 * minute);
    recorder.publish(blocked);
    await advance(0);
    assert.deepEqual(methods(), ["POST", "PATCH", "POST"]);
  });

  test("what counts as the same, and for how long, is for the publisher to say", async () => {
    const { recorder, requests, advance } = await listen();
    const say = (message: string) =>
      recorder.publish({ ...blocked, message, sameAs: ["default", "Empty"], quietMilliseconds: minute });
    say("one");
    say("other");
    await advance(minute);
    say("third");
    await advance(0);
    assert.deepEqual(
      requests.map(({ body }) => (body as EventBody).message),
      ["one", "third"],
    );
  });

  test("of a flood of nominations ten are told, and five more each second", async () => {
    const { recorder, requests, advance, dropped } = await listen();
    for (let i = 0; i < 30; i++) recorder.publish(nominationOf(i));
    await advance(0);
    assert.equal(requests.length, 10);
    await advance(1_000);
    for (let i = 0; i < 30; i++) recorder.publish(nominationOf(i));
    await advance(0);
    assert.deepEqual([requests.length, dropped()], [15, { rate_limited: 35 }]);
  });

  test("a storm is written slowly, and what does not fit the queue is dropped", async () => {
    const { recorder, requests, advance, dropped } = await listen();
    for (let i = 0; i < 2_000; i++) recorder.publish(failureOf(i));
    await advance(0);
    assert.equal(requests.length, 50);
    await advance(10_000);
    assert.equal(requests.length, 300);
    await advance(minute);
    assert.deepEqual([requests.length, dropped()], [1_000, { queue_full: 1_000 }]);
  });

  test("while the API is away events wait; it is said once, and after five tries one is dropped", async () => {
    let isAway = true;
    const { recorder, bodies, advance, dropped, errors } = await listen(() => {
      if (isAway) throw new Error("connect ECONNREFUSED");
      return { status: 201 };
    });
    recorder.publish(failureOf(1));
    recorder.publish(failureOf(2));
    await advance(20_000);
    isAway = false;
    await advance(minute);
    assert.deepEqual(bodies().at(-1)?.involvedObject.name, "pod-2");
    assert.deepEqual([dropped(), errors], [{ failed: 1 }, ["Cannot write events"]]);
  });

  test("an overloaded API is given the time that it asks for", async () => {
    const answers: KubeResponse[] = [{ status: 429, retryAfterSeconds: 7, body: undefined }];
    const { recorder, requests, advance, dropped } = await listen(() => answers.shift() ?? { status: 201 });
    recorder.publish(blocked);
    await advance(6_999);
    assert.equal(requests.length, 1);
    await advance(1);
    assert.deepEqual([requests.length, dropped()], [2, {}]);
  });

  test("an Event that a namespace on its way out refuses is dropped without a word", async () => {
    const body = { message: "forbidden", details: { causes: [{ reason: "NamespaceTerminating" }] } };
    const answers: Record<string, unknown>[] = [{ status: 403, body }, { status: 404 }];
    const { recorder, advance, dropped, errors } = await listen(() => answers.shift() as { status: number });
    for (const i of [1, 2]) recorder.publish(failureOf(i));
    await advance(minute);
    assert.deepEqual([errors, dropped()], [[], { failed: 2 }]);
  });

  test("an Event that may not be written is dropped, and that is said once", async () => {
    const body = { message: "events is forbidden", details: { kind: "events" } };
    const { recorder, requests, advance, dropped, errors } = await listen(() => ({ status: 403, body }));
    recorder.publish(failureOf(1));
    recorder.publish(blocked);
    await advance(minute);
    assert.deepEqual([requests.length, dropped()], [2, { failed: 2 }]);
    assert.deepEqual(errors, ["Cannot write events: the API server answered 403, events is forbidden"]);
  });

  test("once stopped it writes no more", async () => {
    const { recorder, requests, advance } = await listen();
    for (let i = 0; i < 500; i++) recorder.publish(failureOf(i));
    await advance(0);
    recorder.stop();
    recorder.publish(blocked);
    await advance(minute);
    assert.equal(requests.length, 50);
  });
});

interface EventBody {
  readonly metadata: { readonly name: string };
  readonly involvedObject: { readonly name: string; readonly namespace?: string };
  readonly message: string;
}

function nominationOf(i: number): Happening {
  return { ...nominated, object: { ...nominated.object, name: `web-${i}`, uid: `u${i}` } };
}

function failureOf(i: number): Happening {
  const object = { ...nominated.object, name: `pod-${i}`, uid: `u${i}` };
  return { object, type: "Warning", reason: "FailedScheduling", message: "no capacity" };
}

type Answer = (request: KubeRequest) => { readonly status: number } & Partial<KubeResponse>;

async function listen(answer: Answer = () => ({ status: 201 })) {
  const clock = new HandClock();
  const requests: KubeRequest[] = [];
  const drops = new Map<string, number>();
  const errors: string[] = [];
  const recorder = new EventRecorder({
    transport: {
      send: async (request) => {
        requests.push(request);
        return { body: undefined, ...answer(request) };
      },
    },
    clock,
    random: () => 0.5,
    component: "karpenter",
    metrics: {
      add: (_name, labels) => {
        const { reason } = labels as { reason: string };
        drops.set(reason, (drops.get(reason) ?? 0) + 1);
      },
    },
    onError: (error) => void errors.push((error as Error).message),
  });
  return {
    recorder,
    requests,
    errors,
    methods: () => requests.map(({ method }) => method),
    bodies: () => requests.map(({ body }) => body as EventBody),
    dropped: () => Object.fromEntries(drops),
    advance: (milliseconds: number) => clock.advance(milliseconds),
  };
}

class HandClock implements Clock {
  #now = start;
  #timers: { readonly due: number; readonly callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void) {
    const timer = { due: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    const cancel = () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
    return { cancel };
  }

  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settled();
    for (;;) {
      const [next] = this.#timers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#now = next.due;
      next.callback();
      await settled();
    }
    this.#now = end;
  }
}

/** Whatever hangs on promises alone has come about. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
