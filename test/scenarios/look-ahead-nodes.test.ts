import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/api/schema/json.ts";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import {
  getReadyAfter,
  messages,
  minute,
  onNode,
  play,
  retaint,
  reviewNodes,
  running,
  taintsOf,
  web,
} from "./look-ahead-stage.ts";
import { daemonSet, deployment } from "./manifests.ts";
import type { Story } from "./story.ts";

const quarantine = { key: "example.com/quarantine", effect: "NoSchedule" };
const agent = { key: "example.com/agent", effect: "NoSchedule" };
const gpu = "example.com/gpu";

describe("a taint that another controller gives every node", () => {
  const taintAll = (story: Story): void =>
    onNode(story, 0, (node) => retaint(story, node, (taints) => [...without(taints), quarantine]));

  it("is said of the first nodes, and one more is tried now and then", () =>
    play({}, async ({ story, purchases }) => {
      taintAll(story);
      story.whole.load(web(12));
      story.whole.start();
      await story.pass(4 * minute);
      story.expect([purchases.count, running(story)], [4, 0]);
      for (const reason of [messages(story, "NodeClaim", "NodeUnsuitable"), messages(story, "Pod", "FailedScheduling")])
        assert.match(reason[0] ?? "", /taint example\.com\/quarantine:NoSchedule.* startupTaints/);
      await story.pass(116 * minute);
      // After 5, 15, 35 and 65 minutes, and 95.
      story.expect([purchases.count, running(story)], [9, 0]);
    }));

  it("keeps other workloads, and more pods of the same, from getting nodes in vain", () =>
    play({}, async ({ story, purchases }) => {
      taintAll(story);
      const three = web(3);
      story.whole.load(three);
      story.whole.start();
      await story.pass(30_000);
      story.scale(three, 12);
      story.whole.load(deployment("api", 12, { cpu: "1" }));
      const tolerations = [{ key: quarantine.key, operator: "Exists" }];
      story.whole.load(deployment("tolerant", 6, { cpu: "1", spec: { tolerations } }));
      await story.pass(3 * minute);
      // The first node has room for half of the pods that tolerate the taint.
      story.expect([purchases.count, running(story), running(story, "tolerant")], [2, 6, 6]);
    }));

  it("costs one node in a process that starts anew", () =>
    play({}, async ({ story, purchases }) => {
      taintAll(story);
      story.whole.load(web(12));
      story.whole.start();
      await story.pass(minute);
      story.restart();
      await story.pass(3 * minute);
      story.expect([purchases.count, running(story)], [5, 0]);
    }));

  it("is forgotten when a NodePool has it, too", () =>
    play({}, async ({ story, purchases }) => {
      taintAll(story);
      story.whole.load(web(12));
      story.whole.start();
      await story.pass(minute);
      const pool = { apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name: "general" } };
      story.whole.change(pool, ({ spec, ...rest }) => {
        const { template, ...others } = spec as { template: { spec: JsonObject } };
        const templateSpec = { ...template.spec, startupTaints: [quarantine] };
        return { ...rest, spec: { ...others, template: { ...template, spec: templateSpec } } };
      });
      onNode(story, 20_000, (node) => retaint(story, node, without));
      await story.pass(5 * minute);
      story.expect([purchases.count > 4, running(story), story.pending], [true, 12, []]);
    }));

  for (const [seconds, consolidateAfter] of [
    [20, "1m"],
    [45, "0s"],
    [60, "30s"],
  ] as const) {
    it(`and takes off again after ${seconds} s costs no second machine, with consolidateAfter ${consolidateAfter}`, () =>
      play(
        { pool: { disruption: { consolidateAfter, budgets: [{ nodes: "100%" }] } } },
        async ({ story, purchases }) => {
          taintAll(story);
          onNode(story, seconds * 1_000, (node) => retaint(story, node, without));
          story.whole.load(web(12));
          story.whole.start();
          await story.pass(10 * minute);
          story.expect([purchases.count, running(story), story.nodes.length], [4, 12, 4]);
        },
      ));
  }
});

function without(taints: JsonObject[]): JsonObject[] {
  return taints.filter(({ key }) => key !== quarantine.key);
}

it("a taint that an administrator gives one node holds up no other nodes", () =>
  play({}, async ({ story, purchases }) => {
    const three = web(3);
    story.whole.load(three);
    story.whole.start();
    await story.pass(5 * minute);
    retaint(story, story.nodes[0] as KubeObject, (taints) => [...taints, quarantine]);
    story.scale(three, 12);
    await story.pass(30_000);
    story.expect([purchases.count, running(story)], [4, 12]);
  }));

describe("pods that tolerate everything", () => {
  it("get their machines once, and run as soon as these are ready", () =>
    play({}, async ({ story, purchases }) => {
      getReadyAfter(story, 20_000);
      story.whole.load(web(60, { spec: { tolerations: [{ operator: "Exists" }] } }));
      story.whole.start();
      await story.pass(5 * minute);
      story.expect([purchases.count, running(story), story.nodes.length], [20, 60, 20]);
    }));
});

describe("nodes that never become ready", () => {
  it("are not bought a second time", () =>
    play({}, async ({ story, purchases }) => {
      story.whole.cluster.afflict({ effect: "never-ready", share: 1 });
      story.whole.load(web(30));
      story.whole.start();
      await story.pass(30 * minute);
      story.expect([purchases.count, running(story)], [10, 0]);
    }));

  it("are repaired where they are few, each with one machine in its place", () =>
    play({}, async ({ story, purchases }) => {
      const broken = new Set<string>();
      onNode(story, 0, ({ metadata: { name } }) => {
        if (broken.size >= 2 || purchases.laterThan(minute) > 0) return;
        broken.add(name);
        story.whole.cluster.kubelets.neverReady(name);
      });
      story.whole.load(web(60));
      story.whole.start();
      await story.pass(9 * minute);
      story.expect([purchases.count, running(story)], [20, 54]);
      await story.pass(11 * minute);
      story.expect([running(story), story.nodes.length], [60, 20]);
      assert.ok(purchases.count <= 22, `${purchases.count} NodeClaims`);
    }));
});

describe("nodes that have less than promised", () => {
  const shrink = (story: Story): void =>
    void reviewNodes(story, ({ capacity, allocatable }) => {
      capacity.cpu = "3";
      allocatable.cpu = "2900m";
    });

  it("get the pods that fit, and the others get nodes at once", () =>
    play({}, async ({ story, purchases }) => {
      shrink(story);
      story.whole.load(web(30));
      story.whole.start();
      await story.pass(minute);
      story.expect([purchases.count, running(story)], [15, 30]);
    }));

  it("are not bought again and again for pods that do not fit on any", () =>
    play({}, async ({ story, purchases }) => {
      shrink(story);
      story.whole.load(web(5, { cpu: "3500m" }));
      story.whole.start();
      await story.pass(4 * minute);
      story.expect([purchases.count, running(story)], [5, 0]);
      assert.match(messages(story, "NodeClaim", "NodeUnsuitable")[0] ?? "", /less cpu .* 2900m instead of/);
      await story.pass(56 * minute);
      assert.ok(purchases.count <= 20, `${purchases.count} NodeClaims in an hour`);
    }));
});

describe("a startup taint that a DaemonSet removes", () => {
  it("goes while the node boots: the DaemonSet has its pods there before the node is ready, and no pod needs a second", () =>
    play({ pool: { spec: { startupTaints: [agent] } } }, async ({ story, purchases }) => {
      const tolerations = [agent, { key: "node.kubernetes.io/not-ready" }].map(({ key }) => ({
        key,
        operator: "Exists",
      }));
      getReadyAfter(story, 20_000);
      removeTaintsByAgent(story);
      story.whole.load(daemonSet("agent", { cpu: "100m", spec: { tolerations } }), web(30));
      story.whole.start();
      await story.pass(15_000);
      const booting = story.pods.filter(({ metadata }) => metadata.labels?.app === "agent");
      story.expect([booting.length, booting.filter(({ spec }) => spec?.nodeName === undefined).length], [10, 0]);
      await story.pass(2 * minute);
      story.expect([purchases.count, running(story, "web"), story.nodes.length], [10, 30, 10]);
      story.expect(story.nodes.flatMap(taintsOf), []);
    }));
});

/** What the agent does once it runs. */
function removeTaintsByAgent(story: Story): void {
  const { cluster, clock } = story.whole;
  cluster.api.collection(cluster.api.registry.builtIn("", "pods")).subscribe(({ object }) => {
    const { metadata, spec, status } = object as KubeObject & { spec?: { nodeName?: string } };
    if (metadata.labels?.app !== "agent" || (status as { phase?: string } | undefined)?.phase !== "Running") return;
    clock.after(0, () => {
      const node = story.nodes.find(({ metadata: { name } }) => name === spec?.nodeName);
      if (node !== undefined) retaint(story, node, (taints) => taints.filter(({ key }) => key !== agent.key));
    });
  });
}

describe("GPUs that appear a minute after the node is ready", () => {
  it("are waited for: nothing more is bought meanwhile", () =>
    play({}, async ({ story, purchases }) => {
      sellGpus(story);
      const late = new Set<string>();
      reviewNodes(story, ({ capacity, allocatable }) => {
        if (capacity[gpu] === undefined) return;
        capacity[gpu] = "0";
        allocatable[gpu] = "0";
      });
      onNode(story, minute, (node) => {
        late.add(node.metadata.name);
        const current = story.nodes.find(({ metadata }) => metadata.name === node.metadata.name) as KubeObject;
        const status = current.status as { capacity: object; allocatable: object };
        story.whole.changeStatus(node, {
          ...status,
          capacity: { ...status.capacity, [gpu]: "2" },
          allocatable: { ...status.allocatable, [gpu]: "2" },
        });
      });
      const container = { name: "main", image: "example.com/main:1" };
      const resources = { requests: { cpu: "1", [gpu]: "1" }, limits: { [gpu]: "1" } };
      story.whole.load(deployment("learn", 10, { spec: { containers: [{ ...container, resources }] } }));
      story.whole.start();
      await story.pass(50_000);
      story.expect([purchases.count, running(story), late.size], [5, 0, 0]);
      await story.pass(2 * minute);
      story.expect([purchases.count, running(story), story.nodes.length], [5, 10, 5]);
    }));
});

/** Every machine has two. */
function sellGpus({ whole: { market } }: Story): void {
  market.instanceTypes = market.instanceTypes.map((type) => ({
    ...type,
    capacity: new Map(type.capacity).set(gpu, 2),
    allocatable: new Map(type.allocatable).set(gpu, 2),
  }));
}
