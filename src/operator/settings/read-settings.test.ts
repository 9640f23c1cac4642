import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { gatesWithoutEffect } from "./feature-gates.ts";
import { type Environment, readSettings } from "./read-settings.ts";
import type { Settings } from "./settings-table.ts";

suite("settings", () => {
  test("without any, everything has its default", () => {
    assert.deepEqual(settingsOf([], {}), {
      cloudProvider: "kwok",
      instanceTypes: "generic",
      instanceTypesFilePath: "",
      kubeconfig: "",
      placementPolicy: "Suggest",
      lookAhead: "Workloads",
      lookAheadMaxPods: 5_000,
      preferencePolicy: "Respect",
      minValuesPolicy: "Strict",
      batchMaxMilliseconds: 10_000,
      batchIdleMilliseconds: 1_000,
      defaultSpread: [],
      ignoreDraRequests: true,
      featureGates: {
        NodeRepair: true,
        ReservedCapacity: true,
        SpotToSpotConsolidation: false,
        NodeOverlay: false,
        StaticCapacity: false,
        CapacityBuffer: false,
      },
      nodeRepairMaxUnhealthyPercent: 20,
      nodeRepairAfter: new Map(),
      mostPodMovesPercentPerHour: 100,
      metricsPort: 8080,
      healthProbePort: 8081,
      enableProfiling: false,
      logLevel: "info",
      logOutputPaths: ["stdout"],
      logErrorOutputPaths: ["stderr"],
      disableLeaderElection: false,
      leaderElectionName: "karpenter-leader-election",
      leaderElectionNamespace: "",
      systemNamespace: "",
      disableClusterStateObservability: false,
      karpenterService: "",
      kubeClientQps: 200,
      kubeClientBurst: 300,
      disableControllerWarmup: true,
      memoryLimit: -1,
      cpuRequests: 1000,
      clusterName: "",
      clusterEndpoint: "",
      clusterCaBundle: "",
      isolatedVpc: false,
      eksControlPlane: false,
      vmMemoryOverheadPercent: 0.075,
      interruptionQueue: "",
      reservedEnis: 0,
      disableDryRun: false,
      enableZonalShift: false,
      amiRefreshMilliseconds: 60_000,
      subnetRefreshMilliseconds: 60_000,
      awsFeatureGates: { NodeClassCEL: false },
    });
  });

  test("a flag can be written with one dash or two, with or without an equals sign", () => {
    for (const args of [["--metrics-port", "9"], ["--metrics-port=9"], ["-metrics-port", "9"], ["-metrics-port=9"]]) {
      assert.equal(settingsOf(args, {}).metricsPort, 9, args.join(" "));
    }
  });

  test("a value may look like a flag", () => {
    assert.equal(settingsOf(["--memory-limit", "-1"], {}).memoryLimit, -1);
  });

  test("a boolean flag needs no value", () => {
    const on = ["--enable-profiling", "--metrics-port=9"];
    assert.equal(settingsOf(on, {}).enableProfiling, true);
    assert.equal(settingsOf(["--enable-profiling", "false"], { ENABLE_PROFILING: "true" }).enableProfiling, false);
    assert.equal(settingsOf(["--enable-profiling=false"], {}).enableProfiling, false);
  });

  test("a value of an earlier release is accepted, with a warning that names the flag or variable", () => {
    for (const [args, environment, source] of [
      [["--placement-policy=Nominate"], {}, "--placement-policy"],
      [[], { PLACEMENT_POLICY: "Nominate" }, "PLACEMENT_POLICY"],
    ] as const) {
      const { settings, warnings } = readOk(args, environment);
      assert.equal(settings.placementPolicy, "Suggest");
      assert.deepEqual(warnings, [`${source} Nominate is no longer supported and means Suggest: set that`]);
    }
    assert.deepEqual(readOk(["--placement-policy=Bind"], {}).warnings, []);
    assert.deepEqual(problemsOf(["--placement-policy=nominate"], {}), [
      '--placement-policy must be Suggest or Bind, found "nominate"',
    ]);
  });

  test("a flag beats a variable, and the last flag the others", () => {
    const { logLevel, batchMaxMilliseconds } = settingsOf(["--log-level=error", "--log-level=debug"], {
      LOG_LEVEL: "info",
      BATCH_MAX_DURATION: "1m1.5s",
    });
    assert.deepEqual({ logLevel, batchMaxMilliseconds }, { logLevel: "debug", batchMaxMilliseconds: 61_500 });
  });

  test("what is empty means the default", () => {
    const variables = { LOG_LEVEL: "", METRICS_PORT: "", KUBECONFIG: "somewhere" };
    const { logLevel, metricsPort, kubeconfig } = settingsOf(["--kubeconfig="], variables);
    assert.deepEqual({ logLevel, metricsPort, kubeconfig }, { logLevel: "info", metricsPort: 8080, kubeconfig: "" });
  });

  test("feature gates that are not named keep their default", () => {
    const { featureGates } = settingsOf([], { FEATURE_GATES: " StaticCapacity=true, ReservedCapacity=false," });
    const { StaticCapacity, ReservedCapacity, NodeRepair } = featureGates;
    assert.deepEqual([StaticCapacity, ReservedCapacity, NodeRepair], [true, false, true]);
  });

  test("feature gates that are turned on in vain are named", () => {
    const { featureGates } = settingsOf([], { FEATURE_GATES: "NodeOverlay=true,StaticCapacity=true,NodeRepair=true" });
    assert.deepEqual(gatesWithoutEffect(featureGates), ["NodeOverlay"]);
  });

  test("more pods may be moved in an hour than there are, and never none", () => {
    assert.equal(settingsOf(["--most-pod-moves-per-hour=250%"], {}).mostPodMovesPercentPerHour, 250);
    assert.deepEqual(readSettings([], { MOST_POD_MOVES_PER_HOUR: "0%" }).problems, [
      'MOST_POD_MOVES_PER_HOUR must be a percentage from 1% to 10000%, found "0%"',
    ]);
  });

  test("node repair has its share in per cent and its times by condition", () => {
    const { nodeRepairMaxUnhealthyPercent, nodeRepairAfter } = settingsOf(
      ["--node-repair-after", "Ready=30m, Disk=1h"],
      {
        NODE_REPAIR_MAX_UNHEALTHY: "35%",
      },
    );
    assert.equal(nodeRepairMaxUnhealthyPercent, 35);
    assert.deepEqual(
      [...nodeRepairAfter],
      [
        ["Ready", 1_800_000],
        ["Disk", 3_600_000],
      ],
    );
    assert.deepEqual(problemsOf(["--node-repair-after=Ready"], { NODE_REPAIR_MAX_UNHEALTHY: "101%" }), [
      'NODE_REPAIR_MAX_UNHEALTHY must be a percentage from 0% to 100%, found "101%"',
      '--node-repair-after must be a list such as Ready=10m,DiskPressure=1h, found "Ready"',
    ]);
    assert.equal(problemsOf([], { NODE_REPAIR_MAX_UNHEALTHY: "0.2" }).length, 1);
  });

  test("default spread constraints come from the configuration of the scheduler, in YAML or JSON", () => {
    const constraint = { maxSkew: 2, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway" };
    const config = { podTopologySpread: { defaultConstraints: [constraint] } };
    const yaml = `podTopologySpread:\n  defaultConstraints:\n  - ${JSON.stringify(constraint)}\n`;
    for (const text of [JSON.stringify(config), yaml]) {
      const [spread] = settingsOf([], { SCHEDULER_CONFIG: text }).defaultSpread;
      assert.deepEqual([spread?.maxSkew, spread?.topologyKey, spread?.isRequired], [2, constraint.topologyKey, false]);
    }
  });

  test("everything wrong is told at once, by name, with what was found and what is expected", () => {
    const args = [
      "--metrics-port=x",
      "--batch-max",
      "3s",
      "--log-levle=debug",
      "--feature-gates=NodeRepairs=true,NodeOverlay=maybe,StaticCapacity",
      "stray",
      "--kubeconfig",
    ];
    const variables = {
      METRICS_PORT: "1",
      HEALTH_PROBE_PORT: "65536",
      ENABLE_PROFILING: "yes",
      BATCH_IDLE_DURATION: "1",
      BATCH_MAX_DURATION: "-1s",
      PREFERENCE_POLICY: "respect",
      MEMORY_LIMIT: "1Gi",
    };
    assert.deepEqual(problemsOf(args, variables), [
      'Unknown flag --batch-max (did you mean "batch-max-duration"?)',
      'Unknown flag --log-levle (did you mean "log-level"?)',
      'Unexpected argument "stray"; flags start with --',
      "--kubeconfig needs a value (file)",
      'PREFERENCE_POLICY must be Respect or Ignore, found "respect"',
      'BATCH_MAX_DURATION must be a duration such as 10s, 1m30s or 500ms, found "-1s"',
      'BATCH_IDLE_DURATION must be a duration such as 10s, 1m30s or 500ms, found "1"',
      '--feature-gates has the unknown feature gate "NodeRepairs" (did you mean "NodeRepair"?); there are NodeRepair, ReservedCapacity, SpotToSpotConsolidation, NodeOverlay, StaticCapacity, CapacityBuffer',
      '--feature-gates must say NodeOverlay=true or NodeOverlay=false, found "NodeOverlay=maybe"',
      '--feature-gates must say StaticCapacity=true or StaticCapacity=false, found "StaticCapacity"',
      '--metrics-port must be a whole number from 0 to 65535, found "x"',
      'HEALTH_PROBE_PORT must be a whole number from 0 to 65535, found "65536"',
      'ENABLE_PROFILING must be true or false, found "yes"',
      'MEMORY_LIMIT must be a whole number, found "1Gi"',
    ]);
  });

  test("a flag without its value is told from one whose value looks like a flag", () => {
    assert.deepEqual(problemsOf(["--log-level", "--enable-profiling"], {}), [
      "--log-level needs a value (debug|info|error)",
    ]);
  });

  test("a scheduler configuration that cannot be meant is refused", () => {
    const problems = (text: string) => problemsOf([], { SCHEDULER_CONFIG: text });
    assert.match(problems("{").join(), /^SCHEDULER_CONFIG must be YAML or JSON: /);
    assert.deepEqual(problems("5"), ["SCHEDULER_CONFIG must be an object"]);
    assert.deepEqual(problems("podTopologySpreads: {}"), [
      "SCHEDULER_CONFIG has podTopologySpreads, which is unknown here; there is podTopologySpread",
    ]);
    const constraint = "{maxSkew: 0, topologyKey: a, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}";
    assert.deepEqual(problems(`podTopologySpread: {defaultConstraints: [${constraint}]}`).map(withoutValue), [
      "SCHEDULER_CONFIG has podTopologySpread.defaultConstraints[0].labelSelector",
      "SCHEDULER_CONFIG has podTopologySpread.defaultConstraints[0].maxSkew",
    ]);
  });

  test("names that every object inherits are no settings", () => {
    assert.equal(
      problemsOf(["--constructor=1", "--feature-gates=toString=true", "--placement-policy=valueOf"], {}).length,
      3,
    );
  });

  test("knows what the AWS provider needs", () => {
    const variables = { CLOUD_PROVIDER: "aws", CLUSTER_NAME: "one", AWS_FEATURE_GATES: "NodeClassCEL=true" };
    const { cloudProvider, clusterName, awsFeatureGates } = settingsOf(["--reserved-enis=1"], variables);
    assert.deepEqual([cloudProvider, clusterName, awsFeatureGates.NodeClassCEL], ["aws", "one", true]);
    assert.deepEqual(
      problemsOf(["--cloud-provider=aws", "--ami-refresh-interval=59s", "--vm-memory-overhead-percent=1.5"], {
        CLUSTER_ENDPOINT: "example.com",
        AWS_FEATURE_GATES: "NodeClassCel=true",
      }),
      [
        'CLUSTER_ENDPOINT must be a URL such as https://example.eks.amazonaws.com, found "example.com"',
        '--vm-memory-overhead-percent must be a number from 0 up to 1, found "1.5"',
        '--ami-refresh-interval must be a duration such as 10s, 1m30s or 500ms and at least 60s, found "59s"',
        'AWS_FEATURE_GATES has the unknown feature gate "NodeClassCel" (did you mean "NodeClassCEL"?); there are NodeClassCEL',
        "CLUSTER_NAME must name the cluster with --cloud-provider aws: machines are told apart by it",
      ],
    );
  });
});

function settingsOf(args: readonly string[], environment: Environment): Settings {
  return readOk(args, environment).settings;
}

function readOk(args: readonly string[], environment: Environment) {
  const read = readSettings(args, environment);
  if (read.problems !== undefined) assert.fail(read.problems.join("\n"));
  return read;
}

function problemsOf(args: readonly string[], environment: Environment): readonly string[] {
  return readSettings(args, environment).problems ?? [];
}

function withoutValue(problem: string): string {
  return problem.replace(/, which .*/, "");
}
