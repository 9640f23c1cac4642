import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { awsWellKnownLabels } from "../../src/adapters/aws/aws-labels.ts";
import type { Setting } from "../../src/operator/settings/setting.ts";
import { settingsTable } from "../../src/operator/settings/settings-table.ts";
import { chartFolder, crdChartFolder, readChartYaml, readTable, readVariables } from "./chart-files.ts";

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: { readonly const?: string };
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

describe("what the chart says of mistakes", () => {
  it("has, for every name that there is not, those that there are", () => {
    const objects = objectsIn(schema);
    const wrong = objects.filter(({ properties = {}, additionalProperties }) => {
      const names = Object.keys(properties).filter((name) => name !== "global" && !isOfOlderChart(properties[name]));
      const { const: words } = additionalProperties ?? {};
      return words !== `left out, for there is no such name here; there are ${names.join(", ")}`;
    });
    assert.ok(objects.length > 15);
    assert.deepEqual(
      wrong.map(({ properties }) => Object.keys(properties ?? {})),
      [],
    );
  });

  it("knows the labels that machines of AWS have", () => {
    assert.deepEqual(readTable("_pool-problems.tpl", "machineLabels"), [...awsWellKnownLabels].sort());
  });

  it("reaches the values of older charts, which the schema lets pass", () => {
    const paths = ["movedValues", "goneBranches"].flatMap((table) => Object.keys(readTable("_moved.tpl", table) ?? {}));
    const unreached = paths.filter((path) => {
      let found: Schema | undefined = schema;
      for (const name of path.split(".")) {
        if (isOfOlderChart(found)) return false;
        found = found?.properties?.[name];
      }
      return !isOfOlderChart(found);
    });
    assert.deepEqual(unreached, []);
  });

  it("calls no variable gone that a setting has", () => {
    const gone = Object.keys(readTable("_moved.tpl", "movedVariables") ?? {});
    const known = settings.map(({ variable }) => variable);
    assert.deepEqual(
      gone.filter((name) => known.includes(name)),
      [],
    );
  });
});

describe("the charts", () => {
  it("start the controller as the image does", () => {
    const lastList = (text: string, of: string) =>
      [...text.matchAll(new RegExp(`^ *${of} \\[(.*)\\]$`, "gm"))].at(-1)?.[1]?.replaceAll('"', "");
    const dockerfile = readFileSync(join(chartFolder, "../../Dockerfile"), "utf8");
    const deployment = readFileSync(join(chartFolder, "templates/deployment.yaml"), "utf8");
    assert.match(dockerfile, /^ENTRYPOINT/m);
    assert.equal(lastList(deployment, "command:"), lastList(dockerfile, "ENTRYPOINT"));
    assert.equal(lastList(deployment, "args:"), lastList(dockerfile, "CMD"));
  });

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
    return isOfOlderChart(property) ? [] : [`${path}/${name} has no default`];
  });
  return [...unknown.map((name) => `${path}/${name} is not in the schema`), ...below].sort();
}

function isOfOlderChart(of: Schema | undefined): boolean {
  return of?.description?.startsWith("Of an older chart") ?? false;
}

/** The schemas of objects with names of their own, at any depth. */
function objectsIn(of: unknown): Schema[] {
  if (typeof of !== "object" || of === null) return [];
  const own = "properties" in of && "additionalProperties" in of ? [of as Schema] : [];
  return [...own, ...Object.values(of).flatMap(objectsIn)];
}
