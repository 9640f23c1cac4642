import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { Strays } from "../../src/controllers/provisioner/strays.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { modelClaim, modelNode } from "../support/model-machine.ts";
import { modelPod } from "../support/model-pod.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

describe("a nomination to a node of ours", () => {
  const ours = new Set<string>();
  let clock: VirtualClock;
  let cluster: ClusterState;
  let telemetry: RecordingTelemetry;
  let strays: Strays;
  /** Names of pods, with the second in which they lost their nomination. */
  let cleared: string[];
  let clear: (pod: Pod) => Promise<void>;

  beforeEach(() => {
    ours.clear();
    clock = new VirtualClock(0);
    cluster = new ClusterState();
    telemetry = new RecordingTelemetry();
    cleared = [];
    clear = async ({ name, uid }) => {
      cleared.push(`${name} ${clock.now() / 1000}`);
      nominate(name, "", uid);
    };
    cluster.nodes.put("node", modelNode());
    cluster.nodes.put("foreign", modelNode({ name: "foreign", providerId: "other://1" }));
    cluster.claims.put("claim", modelClaim({ providerId: "test://node" }));
    const isOurs = ({ name }: Pod): boolean => ours.has(name);
    strays = new Strays({ cluster, clock, telemetry, isOurs, clear: (pod) => clear(pod) });
    strays.start();
  });

  afterEach(() => strays.stop());

  function nominate(name: string, nominatedNodeName: string, uid = `uid-${name}`): void {
    cluster.pods.put(`default/${name}`, modelPod(name, { uid, nodeName: "", nominatedNodeName }));
  }

  it("where the pod has no place is taken away after ten seconds", async () => {
    await clock.advance(1_000);
    nominate("lost", "node");
    await clock.advance(10_000);
    assert.deepEqual(cleared, []);
    await clock.advance(20_000);
    assert.deepEqual(cleared, ["lost 12"]);
  });

  it("that we wrote for a place which is gone is taken away at the next look", async () => {
    await clock.advance(1_000);
    nominate("lost", "node");
    ours.add("lost");
    await clock.advance(5_000);
    assert.deepEqual(cleared, ["lost 2"]);
  });

  it("stays where the pod has a place there by then", async () => {
    nominate("found", "node");
    await clock.advance(8_000);
    cluster.nominations.nominate("uid-found", "claim", clock.now());
    await clock.advance(60_000);
    assert.deepEqual(cleared, []);
  });

  it("stays where the pod has gone there, and where the node is not ours, or not there", async () => {
    cluster.pods.put("default/bound", modelPod("bound", { nodeName: "node", nominatedNodeName: "node" }));
    nominate("elsewhere", "foreign");
    nominate("nowhere", "gone");
    await clock.advance(60_000);
    assert.deepEqual(cleared, []);
  });

  it("that kube-scheduler wrote stays while others leave to make room, one of ours does not", async () => {
    cluster.pods.put("default/victim", modelPod("victim", { deletesAt: 100_000 }));
    nominate("important", "node");
    nominate("lost", "node");
    ours.add("lost");
    await clock.advance(30_000);
    assert.deepEqual(cleared, ["lost 2"]);
    cluster.pods.remove("default/victim");
    await clock.advance(30_000);
    assert.deepEqual(cleared.slice(1), ["important 42"]);
  });

  it("is taken away as often as it takes, and failures are told", async () => {
    const work = clear;
    let failures = 2;
    clear = (pod) => (failures-- > 0 ? Promise.reject(new Error("no answer")) : work(pod));
    nominate("lost", "node");
    await clock.advance(60_000);
    assert.deepEqual(cleared, ["lost 16"]);
    assert.equal(telemetry.lines.filter(({ level }) => level === "error").length, 2);
  });
});
