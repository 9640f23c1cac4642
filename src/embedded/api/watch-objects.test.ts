import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { EmbeddedCluster } from "../cluster.ts";
import { VirtualClock } from "../time/virtual-clock.ts";
import type { WatchEvent } from "./api-request.ts";

const maps = "/api/v1/namespaces/default/configmaps";

describe("a watch", () => {
  let clock: VirtualClock;
  let cluster: EmbeddedCluster;
  beforeEach(() => {
    clock = new VirtualClock(1_700_000_000_000);
    cluster = new EmbeddedCluster({ clock, seed: 1, keptEvents: 4, without: ["scheduler", "workloads", "kubelet"] });
  });

  function send(method: string, path: string, json?: unknown) {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = { accept: "application/json", "content-type": type };
    return cluster.server.handle({
      method,
      target: path,
      headers,
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  }

  const create = (name: string, labels: object = {}) => send("POST", maps, { metadata: { name, labels } });

  function watch(query: string) {
    const answer = send("GET", `${maps}?watch=true${query}`);
    const seen: string[] = [];
    const show = ({ type, object }: WatchEvent) => {
      const { name, annotations } = object.metadata as { name?: string; annotations?: object };
      seen.push(`${type} ${name ?? object.code ?? (annotations === undefined ? "" : "initial")}`.trim());
    };
    if (answer.kind !== "watch") throw new Error("no watch");
    const stop = answer.start({ deliver: show, end: () => void seen.push("end") });
    return { seen, stop };
  }

  it("begins with what is there, and goes on with what changes, never in the moment of the change", async () => {
    create("a");
    const { seen, stop } = watch("");
    create("b");
    send("PATCH", `${maps}/a`, { data: { x: "1" } });
    send("DELETE", `${maps}/b`);
    assert.deepEqual(seen, []);
    await clock.advance(0);
    stop();
    create("c");
    await clock.advance(10);
    assert.deepEqual(seen, ["ADDED a", "ADDED b", "MODIFIED a", "DELETED b"]);
  });

  it("shows what comes to match a selector as new, and what ceases to as gone", async () => {
    const { seen, stop } = watch("&labelSelector=app%3Dweb");
    create("a", { app: "db" });
    send("PATCH", `${maps}/a`, { metadata: { labels: { app: "web" } } });
    send("PATCH", `${maps}/a`, { data: { x: "1" } });
    send("PATCH", `${maps}/a`, { metadata: { labels: { app: "db" } } });
    await clock.advance(0);
    stop();
    assert.deepEqual(seen, ["ADDED a", "MODIFIED a", "DELETED a"]);
  });

  it("says every minute how far it came, a last time shortly before its end, and ends in time", async () => {
    const { seen } = watch("&allowWatchBookmarks=true&timeoutSeconds=150");
    await clock.advance(0);
    await clock.advance(60_000);
    const afterOne = [...seen];
    await clock.advance(88_000);
    const afterThree = [...seen];
    await clock.advance(60_000);
    assert.deepEqual(
      [afterOne, afterThree, seen],
      [
        ["BOOKMARK initial", "BOOKMARK"],
        ["BOOKMARK initial", "BOOKMARK", "BOOKMARK", "BOOKMARK"],
        ["BOOKMARK initial", "BOOKMARK", "BOOKMARK", "BOOKMARK", "end"],
      ],
    );
  });

  it("goes on from a version, or says that it is forgotten", async () => {
    const { version } = cluster.api.store;
    create("a");
    create("b");
    const { seen, stop } = watch(`&resourceVersion=${version + 1}`);
    await clock.advance(0);
    stop();
    for (const name of ["c", "d", "e", "f", "g", "h"]) create(name);
    const late = watch(`&resourceVersion=${version + 1}`);
    await clock.advance(0);
    assert.deepEqual([seen, late.seen], [["ADDED b"], ["ERROR 410", "end"]]);
  });
});
