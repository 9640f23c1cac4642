import type { ResourceSettings } from "../../adapters/aws/instance-types/machine-resources.ts";
import { featureGates } from "../../operator/settings/feature-gates.ts";
import { readArguments } from "../../operator/settings/read-arguments.ts";
import type { Setting } from "../../operator/settings/setting.ts";
import { type Settings, settingsTable } from "../../operator/settings/settings-table.ts";
import type { KubeTransport } from "../../ports/kube-transport.ts";

/** Settings of a controller that decide what it would answer. */
export interface ControllerSettings
  extends Pick<
    Settings,
    "preferencePolicy" | "minValuesPolicy" | "defaultSpread" | "lookAhead" | "lookAheadMaxPods" | "metricsPort"
  > {
  readonly isSpotToSpotEnabled: boolean;
  /** How it reckons what machines of EC2 have. */
  readonly machines: ResourceSettings;
  /** Whose they are, and what was assumed, for people. */
  readonly source: readonly string[];
}

interface WireContainer {
  readonly name?: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name?: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly envFrom?: readonly unknown[];
}

interface WireDeployment {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly spec?: { readonly template?: { readonly spec?: { readonly containers?: readonly WireContainer[] } } };
}

export const controllerLabel = { key: "app.kubernetes.io/name", value: "karpenter" };

/** As the controller's Deployment says, ours or the Go one's; the defaults where there is none to be seen. */
export async function readControllerSettings(transport: KubeTransport): Promise<ControllerSettings> {
  const selector = encodeURIComponent(`${controllerLabel.key}=${controllerLabel.value}`);
  const path = `/apis/apps/v1/deployments?labelSelector=${selector}`;
  const { status, body } = await transport.send({ method: "GET", path });
  const items = (body as { readonly items?: unknown } | null)?.items;
  const [deployment] = status === 200 && Array.isArray(items) ? (items as readonly WireDeployment[]) : [];
  if (deployment !== undefined) return settingsOf(deployment);
  const reason =
    status === 200 ? `no Deployment has the label ${controllerLabel.key}=${controllerLabel.value}` : refusalOf(status);
  return readFrom({}, `defaults: ${reason}`);
}

function refusalOf(status: number): string {
  return status === 403
    ? "you may not list deployments, which would tell those of the controller"
    : `the server answers with ${status} when asked for deployments`;
}

function settingsOf({ metadata, spec }: WireDeployment): ControllerSettings {
  const containers = spec?.template?.spec?.containers ?? [];
  const container = containers.find(({ name }) => name === "controller") ?? containers[0] ?? {};
  return readFrom(container, `those of Deployment ${metadata?.namespace}/${metadata?.name}`);
}

/** The Go version does not look ahead. */
const goImage = /^public\.ecr\.aws\/karpenter\//;

function readFrom({ image = "", args = [], env = [], envFrom = [] }: WireContainer, whose: string): ControllerSettings {
  const { values } = readArguments(args, Object.values<Setting<unknown>>(settingsTable));
  const assumed: string[] = [];
  const read = <T>(setting: Setting<T>): T => {
    const variable = env.findLast(({ name }) => name === setting.variable);
    const parsed = setting.parse((values.get(setting.flag) ?? variable?.value) || setting.default);
    if ("value" in parsed && variable?.valueFrom === undefined) return parsed.value;
    assumed.push(setting.variable);
    const fallback = setting.parse(setting.default);
    if ("value" in fallback) return fallback.value;
    throw new Error(`The default of ${setting.variable} cannot be read`);
  };
  const { preferencePolicy, minValuesPolicy, defaultSpread, metricsPort } = settingsTable;
  const { lookAhead, lookAheadMaxPods } = settingsTable;
  const { vmMemoryOverheadPercent, reservedEnis, awsFeatureGates } = settingsTable;
  const found = {
    preferencePolicy: read(preferencePolicy),
    minValuesPolicy: read(minValuesPolicy),
    defaultSpread: read(defaultSpread),
    lookAhead: goImage.test(image) ? ("Off" as const) : read(lookAhead),
    lookAheadMaxPods: read(lookAheadMaxPods),
    isSpotToSpotEnabled: read(featureGates).SpotToSpotConsolidation,
    metricsPort: read(metricsPort),
    machines: {
      vmMemoryOverheadPercent: read(vmMemoryOverheadPercent),
      reservedEnis: read(reservedEnis),
      isNodeClassCelEnabled: read(awsFeatureGates).NodeClassCEL,
    },
  };
  const source = [
    `${whose}: ${describe(found)}`,
    ...(assumed.length === 0 ? [] : [`the defaults were taken for ${assumed.join(", ")}, which cannot be read there`]),
    ...(envFrom.length === 0 ? [] : ["variables that come from a ConfigMap or Secret (envFrom) were not seen"]),
  ];
  return { ...found, source };
}

function describe(found: Omit<ControllerSettings, "source">): string {
  return [
    `preferences ${found.preferencePolicy}`,
    `minValues ${found.minValuesPolicy}`,
    `SpotToSpotConsolidation ${found.isSpotToSpotEnabled ? "on" : "off"}`,
    `look-ahead ${found.lookAhead}`,
    ...(found.defaultSpread.length === 0 ? [] : [`${found.defaultSpread.length} default spread constraints`]),
  ].join(", ");
}
