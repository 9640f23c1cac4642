import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Setting } from "../../src/operator/settings/setting.ts";
import { settingsTable } from "../../src/operator/settings/settings-table.ts";
import { chartFolder, crdChartFolder, readChartYaml, readVariables } from "./chart-files.ts";

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Values {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

const values = readChartYaml("values.yaml") as Values;
const schema: Schema & { definitions: Readonly<Record<string, Schema>> } = JSON.parse(
  readFileSync(join(chartFolder, "values.schema.json"), "utf8"),
);
const settings = Object.values<Setting<unknown>>(settingsTable);
const variables = readVariables();

/** Variables that the chart sets in ways of its own: from other values, or from the pod. */
const otherwiseSet = [
  "FEATURE_GATES",
  "AWS_FEATURE_GATES",
  "LOG_LEVEL",
  "LOG_OUTPUT_PATHS",
  "LOG_ERROR_OUTPUT_PATHS",
  "METRICS_PORT",
  "HEALTH_PROBE_PORT",
  "SYSTEM_NAMESPACE",
];
/** Variables that are for controller.env: no value is worth it, or they are without effect. */
const leftToEnv = [
  "INSTANCE_TYPES",
  "INSTANCE_TYPES_FILE_PATH",
  "KUBECONFIG",
  "DISABLE_LEADER_ELECTION",
  "LEADER_ELECTION_NAME",
  "LEADER_ELECTION_NAMESPACE",
  "KARPENTER_SERVICE",
  "DISABLE_CONTROLLER_WARMUP",
  "MEMORY_LIMIT",
  "CPU_REQUESTS",
];

describe("the values of the chart", () => {
  it("set every setting, or leave it to controller.env", () => {
    const reachable = [...Object.values(variables), ...otherwiseSet, ...leftToEnv];
    assert.deepEqual(reachable.sort(), settings.map(({ variable }) => variable).sort());
  });

  it("have a name for each variable below settings", () => {
    const { featureGates: _, awsFeatureGates: __, ...plain } = values.settings;
    assert.deepEqual(Object.keys(plain).sort(), Object.keys(variables).sort());
  });

  it("are the defaults of the settings, but for who sells machines", () => {
    const defaults = new Map(settings.map((setting) => [setting.variable, setting.default]));
    const differing = Object.entries(variables)
      .map(([name, variable]) => [name, String(values.settings[name]), defaults.get(variable)])
      .filter(([, ours, theirs]) => ours !== theirs);
    assert.deepEqual(differing, [["cloudProvider", "aws", "kwok"]]);
  });

  for (const [name, setting] of [
    ["featureGates", settingsTable.featureGates],
    ["awsFeatureGates", settingsTable.awsFeatureGates],
  ] as const) {
    it(`have every gate of ${name} with its default`, () => {
      const gates = Object.entries(values.settings[name] as Readonly<Record<string, boolean>>);
      const written = gates.map(([gate, isOn]) => `${gate[0]?.toUpperCase()}${gate.slice(1)}=${isOn}`);
      assert.deepEqual(written.sort(), setting.default.split(",").sort());
    });
  }

  it("are known to the schema, which knows no others", () => {
    assert.deepEqual(
      unlike(values, schema, ""),
      [
        // Helm adds it where the chart is part of another.
        "/global has no default",
        "/serviceMonitor/sampleLimit has no default",
        "/terminationGracePeriodSeconds has no default",
        "/controller/resources/requests has no default",
        "/controller/resources/limits has no default",
        "/controller/resources/claims has no default",
        "/affinity/podAffinity has no default",
      ].sort(),
    );
  });
});

describe("the charts", () => {
  it("have the version of the package", () => {
    const { version } = JSON.parse(readFileSync(join(chartFolder, "../../package.json"), "utf8"));
    const versions = [chartFolder, crdChartFolder].map((folder) => {
      const chart = readChartYaml("Chart.yaml", folder) as { version: string; appVersion: string };
      return [chart.version, chart.appVersion];
    });
    assert.deepEqual(versions, [
      [version, version],
      [version, version],
    ]);
  });
});

/** Where values and schema differ in their names. Values of older charts are in the schema alone. */
function unlike(value: unknown, of: Schema, path: string): string[] {
  const { properties } = of.$ref === undefined ? of : (schema.definitions[of.$ref.split("/").at(-1) ?? ""] ?? {});
  if (properties === undefined || typeof value !== "object" || value === null) return [];
  const given = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(properties, name));
  const below = Object.entries(properties).flatMap(([name, property]) => {
    if (Object.hasOwn(given, name)) return unlike(given[name], property, `${path}/${name}`);
    return property.description?.startsWith("Of an older chart") ? [] : [`${path}/${name} has no default`];
  });
  return [...unknown.map((name) => `${path}/${name} is not in the schema`), ...below].sort();
}
