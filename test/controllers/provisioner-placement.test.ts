import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nodeClass, nodePool } from "../scenarios/manifests.ts";
import { fourCores, onStage, type ProvisionerStage } from "./provisioner-stage.ts";

/** Seconds between the moment that everybody can have heard of nominations and the opening of nodes. */
const settling = 0.05;

describe("nodes that were bought together", () => {
  it("are opened together, when all their pods know their place", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      stage.add("1200m", "a", "b", "c", "d", "e", "f", "g");
      await stage.pass(10_000);
      assert.deepEqual(stage.said("claim"), ["claim #1", "claim #2", "claim #3"]);
      const changes = stage.deeds.map(({ change }) => change);
      const inOrder = ["claim", "nominate", "open", "bind"] as const;
      for (const [i, next] of inOrder.slice(1).entries()) {
        const before = inOrder[i] ?? "claim";
        if (before !== "open")
          assert.ok(changes.lastIndexOf(before) < changes.indexOf(next), `${before}, then ${next}`);
      }
      assert.deepEqual([stage.times("nominate").length, stage.times("lose").length], [7, 0]);
      const opened = stage.times("open");
      assert.equal(new Set(opened).size, 1);
      assert.ok((opened[0] ?? 0) - (stage.times("nominate").at(-1) ?? 0) > settling - 0.001);
      assert.deepEqual(placesOf(stage.said("bind")), placesOf(stage.said("nominate")));
      assert.equal(stage.count('plan_pods_total{outcome="as_planned"}'), 7);
      assert.equal(stage.count('plan_pods_total{outcome="elsewhere"}'), 0);
    }));

  it("are opened without a pause when they are many, the next as soon as one is open", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      stage.add("1200m", ...Array.from({ length: 28 }, (_, index) => `pod-${index}`));
      await stage.pass(10_000);
      assert.equal(stage.times("open").length, 10);
      assert.equal(new Set(stage.times("open")).size, 1);
    }));

  it("are opened when everybody can have heard of the nominations, at most five seconds later", async () => {
    for (const [lag, wait] of [
      [2_000, 2],
      [8_000, 5],
    ] as const) {
      await onStage({}, async (stage) => {
        stage.whole.cluster.faults.inject({
          effect: "delay-watch",
          byMs: lag,
          on: { path: /\/pods\?/ },
          probability: 1,
        });
        await stage.lead();
        stage.add("1200m", "a", "b", "c", "d");
        await stage.pass(30_000);
        const [opened = 0] = stage.times("open");
        const told = stage.times("nominate").at(-1) ?? 0;
        assert.ok(Math.abs(opened - told - wait - settling) < 0.05, `opened ${opened - told} s after the nominations`);
      });
    }
  });

  it("are opened with those that have room to spare last", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      stage.add("1200m", "a", "b", "c", "d");
      await stage.pass(10_000);
      const crowds = new Map<string, number>();
      for (const { to } of stage.deeds.filter(({ change }) => change === "nominate"))
        crowds.set(to, (crowds.get(to) ?? 0) + 1);
      const opened = stage.deeds.filter(({ change }) => change === "open");
      assert.deepEqual(
        opened.map(({ name }) => crowds.get(name)),
        [3, 1],
      );
    }));

  it("have later pods told of the room that is left", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      stage.add("1200m", "a", "b");
      await stage.pass(10_000);
      assert.equal(stage.said("open").length, 1);
      stage.addByHand("late", { cpu: "1200m" });
      await stage.pass(2_000);
      assert.deepEqual([stage.said("claim").length, stage.said("nominate").at(-1)], [1, "nominate late to #1"]);
    }));

  it("wait ten seconds for one that does not join, and no longer", () =>
    onStage({}, async (stage) => {
      const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "slow" };
      const taints = [{ key: "slow", effect: "NoSchedule" }];
      stage.whole.load(nodeClass("slow", { nodeRegistrationDelay: "60s" }));
      stage.whole.load(
        nodePool("slow", { limits: { cpu: "8" }, spec: { nodeClassRef, taints, requirements: fourCores } }),
      );
      await stage.lead();
      stage.add("3", "quick");
      stage.addByHand("tardy", {
        spec: { nodeSelector: { "karpenter.sh/nodepool": "slow" }, tolerations: [{ key: "slow", operator: "Exists" }] },
      });
      await stage.pass(90_000);
      const [bought = 0] = stage.times("claim");
      const [quick = 0, tardy = 0] = stage.times("open");
      assert.equal(stage.said("claim").length, 2);
      assert.ok(quick - bought >= 10 && quick - bought <= 11, `opened after ${quick - bought} s`);
      const [told = 0] = stage.times("nominate", "quick");
      assert.equal(stage.times("bind", "quick")[0], quick);
      assert.ok(told > bought && told < quick, `told at ${told} s, opened at ${quick} s`);
      assert.ok(tardy - bought >= 60 && tardy - bought <= 61.5, `opened after ${tardy - bought} s`);
    }));

  it("are opened after twenty seconds though they are not ready, with their pods told when they joined", () =>
    onStage({}, async (stage) => {
      stage.whole.cluster.afflict({ effect: "never-ready", share: 1 });
      await stage.lead();
      stage.add("3", "a", "b");
      await stage.pass(60_000);
      const [bought = 0] = stage.times("claim");
      const opened = stage.times("open").map((at) => Math.round(at - bought));
      assert.deepEqual(opened, [20, 20]);
      assert.deepEqual(
        stage
          .times("nominate")
          .map((at) => Math.round(at - bought))
          .slice(0, 2),
        [0, 0],
      );
      assert.deepEqual(stage.said("bind"), []);
    }));

  it("do not wait for one whose claim is deleted", () =>
    onStage({}, async (stage) => {
      stage.whole.load(nodeClass("slow", { nodeRegistrationDelay: "60s" }));
      const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "slow" };
      stage.whole.load(nodePool("slow", { limits: { cpu: "8" }, spec: { nodeClassRef, requirements: fourCores } }));
      await stage.lead();
      stage.addByHand("a", { spec: { nodeSelector: { "karpenter.sh/nodepool": "general" } } });
      stage.addByHand("b", { spec: { nodeSelector: { "karpenter.sh/nodepool": "slow" } } });
      await stage.pass(4_000);
      assert.deepEqual([stage.times("claim").length, stage.said("open")], [2, []]);
      const slow = stage.claims.find(({ metadata }) => metadata.name.startsWith("slow"));
      if (slow !== undefined) stage.whole.delete(slow);
      const deleted = stage.seconds;
      await stage.pass(1_000);
      const [opened = 0] = stage.times("open");
      assert.ok(opened - deleted <= 0.4, `opened after ${opened - deleted} s`);
    }));
});

describe("pods that must spread over zones", () => {
  const topologySpreadConstraints = [
    {
      maxSkew: 1,
      topologyKey: "topology.kubernetes.io/zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "web" } },
    },
  ];
  const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `web-${index + 1}`);
  const told = ({ deeds }: ProvisionerStage): string[] =>
    deeds
      .filter(({ change }) => change === "nominate")
      .map(({ name }) => name)
      .sort();
  const addAll = (stage: ProvisionerStage, count: number): void => {
    for (const name of names(count))
      stage.addByHand(name, { labels: { app: "web" }, spec: { topologySpreadConstraints } });
  };

  it("are told their places where each has a node of its own", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      addAll(stage, 4);
      await stage.pass(3_000);
      assert.deepEqual(told(stage), names(4));
    }));

  it("are left to kube-scheduler but for the first where they share one, since they would keep each other out", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      addAll(stage, 8);
      stage.addByHand("other");
      await stage.pass(3_000);
      assert.equal(stage.claims.length, 4);
      assert.deepEqual(told(stage), ["other", ...names(4)]);
    }));
});

describe("a pod that loses its nomination", () => {
  it("gets it again at once, up to ten times", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      stage.addByHand("web");
      await stage.pass(1_600);
      assert.deepEqual(stage.said("nominate"), ["nominate web to #1"]);
      for (let i = 1; i < 10; i++) {
        const lost = stage.seconds;
        stage.loseNomination("web");
        await stage.pass(110);
        assert.deepEqual(
          stage
            .times("nominate")
            .slice(i)
            .map((at) => Math.round((at - lost) * 1000)),
          [20],
        );
      }
      stage.loseNomination("web");
      await stage.pass(500);
      assert.equal(stage.times("nominate").length, 10);
    }));

  it("keeps one that kube-scheduler has written in its place", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      stage.addByHand("web");
      await stage.pass(2_000);
      stage.nominate("web", "some-node");
      await stage.pass(5_000);
      assert.deepEqual(stage.said("nominate"), ["nominate web to #1", "nominate web to some-node"]);
    }));

  it("and does not take its place is planned anew", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      stage.addByHand("web", { cpu: "3" });
      await stage.pass(2_000);
      // Somebody else takes the room.
      stage.addByHand("thief", { cpu: "3", spec: { nodeName: stage.nodeName("#1") } });
      for (let i = 0; i < 12; i++) {
        stage.loseNomination("web");
        await stage.pass(3_000);
      }
      assert.deepEqual(stage.said("claim"), ["claim #1", "claim #2"]);
      assert.equal(stage.said("nominate").at(-1), "nominate web to #2");
      assert.equal(stage.count('plan_second_wave_nodes_total{nodepool="general"}'), 1);
    }));

  it("because its claim goes is planned anew within seconds", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      stage.addByHand("web", { cpu: "3" });
      await stage.pass(1_050);
      for (const claim of stage.claims) stage.whole.delete(claim);
      await stage.pass(5_000);
      assert.deepEqual(stage.said("claim"), ["claim #1", "claim #2"]);
      assert.equal(stage.said("nominate").at(-1), "nominate web to #2");
    }));
});

describe("a nomination to a node of ours that no plan knows of", () => {
  it("is taken away after ten seconds, and the pod is planned", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      stage.add("3", "a");
      await stage.pass(5_000);
      const before = stage.seconds;
      stage.addByHand("lost", { cpu: "3" });
      stage.nominate("lost", stage.nodeName("#1"));
      await stage.pass(20_000);
      const [lost = 0] = stage.times("lose", "lost");
      assert.ok(lost - before >= 10 && lost - before <= 12, `after ${lost - before} s`);
      assert.deepEqual(stage.said("claim"), ["claim #1", "claim #2"]);
      assert.equal(stage.said("nominate").at(-1), "nominate lost to #2");
    }));
});

describe("the placement policy Bind", () => {
  it("lets pods stay on nodes that are closed to others, binds all of them, and opens the nodes then", () =>
    onStage({ placementPolicy: "Bind" }, async (stage) => {
      await stage.lead();
      stage.add("1200m", "a", "b", "c", "d");
      await stage.pass(10_000);
      assert.deepEqual(
        stage.deeds
          .map(({ change }) => change)
          .join(" ")
          .replaceAll(/(\w+)( \1)+/g, "$1"),
        "claim admit bind open",
      );
      assert.deepEqual(
        [stage.times("admit").length, stage.times("bind").length, stage.times("open").length],
        [2, 4, 2],
      );
      assert.equal(stage.count('plan_pods_total{outcome="as_planned"}'), 4);
    }));

  it("binds nobody to a node that would evict him, because somebody else wrote its taints at the same time", () =>
    onStage({ placementPolicy: "Bind" }, async (stage) => {
      await stage.lead();
      let refusals = 0;
      const conflict = { status: 422, body: { kind: "Status", code: 422, reason: "Invalid", message: "test failed" } };
      const evicting: string[] = [];
      stage.whole.tamper = (request) => {
        if (request.path.endsWith("/binding")) {
          const taints = stage.whole.list("v1", "Node").map(({ spec }) => JSON.stringify(spec));
          evicting.push(...taints.filter((text) => text.includes("NoExecute")));
        }
        const isAdmission = JSON.stringify(request.body ?? "").includes('"/spec/taints/0/effect"');
        return isAdmission && refusals++ < 4 ? (conflict as never) : request;
      };
      stage.add("1200m", "a", "b", "c", "d");
      await stage.pass(10_000);
      assert.deepEqual(stage.said("bind").length, 4);
      assert.deepEqual(evicting, []);
      assert.ok(refusals >= 4, String(refusals));
    }));

  it("binds pods that kube-scheduler never looks at", () =>
    onStage({ placementPolicy: "Bind" }, async (stage) => {
      await stage.lead();
      stage.addByHand("web");
      await stage.pass(10_000);
      assert.deepEqual(stage.said("bind"), ["bind web to #1"]);
    }));
});

describe("the placement policy Suggest", () => {
  it("tells pods in an event, and does nothing else", () =>
    onStage({ placementPolicy: "Suggest" }, async (stage) => {
      await stage.lead();
      stage.add("3", "a", "b");
      stage.addByHand("c", { cpu: "3" });
      await stage.pass(2_500);
      assert.deepEqual(stage.said("nominate", "admit"), []);
      assert.deepEqual(stage.said("bind").length, 2);
      assert.deepEqual(
        stage
          .events("Nominated")
          .map((said) => said.replace(/general-.*/, "…"))
          .sort(),
        [
          "a: Pod should schedule on: nodeclaim/…",
          "b: Pod should schedule on: nodeclaim/…",
          "c: Pod should schedule on: nodeclaim/…",
          // Another one went there, and left its own place.
          "c: Pod should schedule on: nodeclaim/…",
        ],
      );
      const written = stage.whole.sent.filter(({ request }) => /\/pods\/.*\/(status|binding)$/.test(request.path));
      assert.deepEqual(written, []);
    }));
});

/** Who is meant for or on which node. */
function placesOf(said: readonly string[]): readonly string[] {
  return said.map((line) => line.replace(/^\w+ /, "")).sort();
}
