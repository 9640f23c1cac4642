import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
let folder = "";

before(() => {
  folder = mkdtempSync(join(tmpdir(), "karpenter-plan-"));
});
after(() => rmSync(folder, { recursive: true }));

function karpenter(...args: readonly string[]) {
  return karpenterWith({}, ...args);
}

function karpenterWith(variables: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", ...variables },
  });
  return { status, stdout, stderr };
}

/** The plan file, and what was said about the scenario. */
function planned(file: string) {
  const out = `${file}.plan`;
  const { stderr } = karpenter("plan", "--scenario", file, "--out", out, "--json");
  return { plan: JSON.parse(readFileSync(out, "utf8")), stderr };
}

/** Writes a scenario with its catalogue beside it, and returns its path. */
function scenario(
  name: string,
  pods: readonly unknown[],
  types: readonly unknown[] = [type("small", "2")],
  rest: object = {},
): string {
  const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
  const pool = { metadata: { name: "default" }, spec: { template: { spec: { nodeClassRef, requirements: [] } } } };
  writeFileSync(join(folder, `${name}-types.json`), JSON.stringify(types));
  const file = join(folder, `${name}.json`);
  writeFileSync(
    file,
    JSON.stringify({ name, instanceTypesFile: `${name}-types.json`, nodePools: [pool], pods, ...rest }),
  );
  return file;
}

function type(name: string, cpu: string, ...zones: readonly string[]) {
  const requirement = (key: string, value: string) => ({ key, operator: "In", values: [value] });
  const offering = (zone: string) => ({
    Price: 0.1,
    Requirements: [
      requirement("karpenter.sh/capacity-type", "on-demand"),
      requirement("topology.kubernetes.io/zone", zone),
    ],
  });
  return {
    name,
    architecture: "amd64",
    operatingSystems: ["linux"],
    resources: { cpu, memory: "4Gi" },
    offerings: ["a", ...zones].map(offering),
  };
}

function pod(name: string, cpu: string) {
  return { metadata: { name, namespace: "default" }, spec: { containers: [{ resources: { requests: { cpu } } }] } };
}

describe("karpenter plan", () => {
  it("prints one JSON line and writes the plan", () => {
    const out = join(folder, "plan.json");
    const { status, stdout, stderr } = karpenter(
      "plan",
      "--scenario",
      scenario("ok", [pod("a", "1"), pod("b", "9")]),
      "--out",
      out,
      "--json",
    );
    assert.deepEqual([status, stderr], [0, ""]);
    const { seconds, podsPerSecond, boundPerHour, ...rest } = JSON.parse(stdout);
    assert.ok(seconds > 0 && podsPerSecond > 0);
    assert.ok(boundPerHour <= 0.1 && boundPerHour > 0.0999);
    assert.deepEqual(rest, {
      scenario: "ok",
      pods: 2,
      instanceTypes: 1,
      nodes: 1,
      costPerHour: 0.1,
      unscheduled: 1,
    });
    const node = {
      nodePool: "default",
      instanceType: "small",
      zone: "a",
      capacityType: "on-demand",
      pricePerHour: 0.1,
    };
    assert.deepEqual(JSON.parse(readFileSync(out, "utf8")), {
      scenario: "ok",
      nodes: [{ ...node, alternatives: [], pods: ["default/a"] }],
      placements: [],
      unschedulable: [
        {
          pod: "default/b",
          reason:
            'Pool "default" has nothing large enough: the nearest miss is small, which would do if the pod asked for 7100m cpu less.',
        },
      ],
    });
  });

  it("shows a table to people", () => {
    const { status, stdout } = karpenter("plan", "--scenario", scenario("table", [pod("a", "1")]));
    assert.equal(status, 0);
    assert.match(stdout, /1 × {2}small .* on-demand .* \$0\.1000\n/);
    assert.match(stdout, /1 pod on 1 new node, \$0\.1000 an hour/);
  });

  it("names what is wrong with a pod, and plans the others", () => {
    const { status, stdout, stderr } = karpenter(
      "plan",
      "--scenario",
      scenario("bad", [pod("good", "1"), pod("bad", "1,5")]),
      "--json",
    );
    assert.equal(status, 1);
    assert.match(stderr, /^error: Pod default\/bad: spec\.containers\[0\]\.resources\.requests\.cpu must be .*\n$/);
    const { nodes, unscheduled } = JSON.parse(stdout);
    assert.deepEqual([nodes, unscheduled], [1, 1]);
  });

  it("plans the first of two pods with one name", () => {
    const { plan, stderr } = planned(scenario("twice", [pod("a", "1"), pod("a", "9"), pod("b", "?"), pod("b", "1")]));
    assert.deepEqual(
      [plan.nodes.map(({ pods }: { pods: string[] }) => pods), plan.unschedulable],
      [
        [["default/a"]],
        [
          {
            pod: "default/b",
            reason:
              'Pod default/b: spec.containers[0].resources.requests.cpu must be a quantity such as "500m" or "2Gi", found "?".',
          },
        ],
      ],
    );
    assert.match(stderr, /error: Pod default\/a is there twice; the first one counts\.\n/);
  });

  it("refuses a pod for a selector that means nothing, and plans the others", () => {
    const labelSelector = { matchExpressions: [{ key: "app", operator: "In" }] };
    const spread = { topologyKey: "topology.kubernetes.io/zone", maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" };
    const bad = pod("bad", "1");
    const spec = { ...bad.spec, topologySpreadConstraints: [{ ...spread, labelSelector }] };
    const { plan } = planned(scenario("selector", [{ ...bad, spec }, pod("good", "1")]));
    const place = "spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].values";
    assert.deepEqual(
      [plan.nodes.map(({ pods }: { pods: string[] }) => pods), plan.unschedulable],
      [
        [["default/good"]],
        [{ pod: "default/bad", reason: `Pod default/bad: ${place} must have at least one value for operator In.` }],
      ],
    );
  });

  it("writes down which pods go to nodes that exist", () => {
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "node-1" },
      status: { allocatable: { cpu: "4", memory: "4Gi", pods: "10" } },
    };
    const { plan } = planned(scenario("placed", [pod("a", "1"), pod("b", "1")], [], { objects: [node] }));
    assert.deepEqual(plan, {
      scenario: "placed",
      nodes: [],
      placements: [{ node: "node-1", pods: ["default/a", "default/b"] }],
      unschedulable: [],
    });
  });

  it("spreads pods as the cluster does by default", () => {
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { selector: { app: "web" } },
    };
    const pods = ["a", "b"].map((name) => {
      const { metadata, spec } = pod(name, "500m");
      return { metadata: { ...metadata, labels: { app: "web" } }, spec };
    });
    const defaultConstraints = [
      { maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" },
    ];
    const zonesOf = (name: string, rest: object): string[] => {
      const { plan } = planned(scenario(name, pods, [type("small", "2", "b")], { objects: [service], ...rest }));
      return plan.nodes.map(({ zone }: { zone: string }) => zone).sort();
    };
    assert.deepEqual([zonesOf("together", {}).length, zonesOf("apart", { defaultConstraints })], [1, ["a", "b"]]);
  });

  it("takes its policies from the environment when no option says otherwise", () => {
    const preferred = pod("a", "1");
    const preference = {
      matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: ["b"] }],
    };
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
    const dear = type("small", "2", "b");
    for (const offering of dear.offerings.slice(1)) offering.Price = 1;
    const file = scenario(
      "policy",
      [{ ...preferred, spec: { ...preferred.spec, affinity: { nodeAffinity } } }],
      [dear],
    );
    const costWith = (variables: Readonly<Record<string, string>>, ...options: readonly string[]) =>
      JSON.parse(karpenterWith(variables, "plan", "--scenario", file, "--json", ...options).stdout).costPerHour;
    assert.deepEqual(
      [
        costWith({}),
        costWith({ PREFERENCE_POLICY: "Ignore" }),
        costWith({ PREFERENCE_POLICY: "Ignore" }, "--preference-policy", "Respect"),
      ],
      [1, 0.1, 1],
    );
    for (const name of ["PREFERENCE_POLICY", "MIN_VALUES_POLICY"]) {
      const { status, stderr } = karpenterWith({ [name]: "Maybe" }, "plan", "--scenario", file);
      assert.equal(status, 1);
      assert.match(stderr, new RegExp(`value 'Maybe' from env '${name}' is invalid\\. Allowed choices are`));
    }
  });

  it("names a malformed entry of the catalogue", () => {
    const { status, stderr } = karpenter(
      "plan",
      "--scenario",
      scenario("types", [], [type("small", "2"), { name: "broken" }]),
      "--json",
    );
    assert.equal(status, 1);
    assert.match(stderr, /broken/);
  });

  it("says what to do about a file that it cannot read", () => {
    const none = join(folder, "none.json");
    writeFileSync(join(folder, "text.json"), "{");
    writeFileSync(join(folder, "list.json"), "[]");
    assert.match(
      karpenter("plan", "--scenario", none).stderr,
      /^error: Cannot read the scenario file ".*none\.json": ENOENT/,
    );
    assert.match(karpenter("plan", "--scenario", join(folder, "text.json")).stderr, /it is not JSON/);
    assert.match(
      karpenter("plan", "--scenario", join(folder, "list.json")).stderr,
      /instanceTypesFile must name the catalogue/,
    );
    assert.equal(karpenter("plan", "--scenario", none).status, 1);
  });

  it("refuses an option that makes no sense", () => {
    const { status, stderr } = karpenter("plan", "--scenario", "x", "--runs", "0");
    assert.deepEqual([status, /whole number of at least 1/.test(stderr)], [1, true]);
  });
});
