// Reads all instance types of the AWS endpoint, and compares what we make of each with what the Go provider makes of it.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { Ec2Catalogue } from "../../../src/adapters/aws/instance-types/ec2-catalogue.ts";
import type { ImageFamily } from "../../../src/adapters/aws/node-class/ec2-node-class.ts";
import { RecentlyUnavailable } from "../../../src/adapters/aws/offerings/unavailable-offerings.ts";
import type { InstanceType } from "../../../src/core/model/instance-type.ts";
import { systemClock as clock } from "../../../src/embedded/time/system-clock.ts";
import { heapUsed } from "../../support/heap-used.ts";
import { modelEc2NodeClass } from "../../support/model-ec2-node-class.ts";
import { RecordingTelemetry } from "../../support/recording-telemetry.ts";
import { askPeer, buildPeer, type PeerType } from "../go-peer/ask-peer.ts";
import { openApi, region } from "../stage.ts";

const bandwidth = "karpenter.k8s.aws/instance-network-bandwidth";

/** Where we differ from the Go provider, and why. */
const differences: readonly { readonly why: string; readonly what: string; readonly types?: RegExp }[] = [
  { why: "v1.14.1 does not tell it", what: "label karpenter.k8s.aws/nitro-sandbox" },
  {
    why: "its table of bandwidths is older than these types",
    what: `label ${bandwidth}`,
    types: /^(r9gd?\.|t8i\.(nano|micro|small|medium)$)/,
  },
  {
    why: "its table of bandwidths was copied from documents that say otherwise than EC2",
    what: `label ${bandwidth}`,
    types:
      /^([cr]3\.8xlarge|g7\.[248]xlarge|i7i\.12xlarge|(i7ie|i8ge)\.(metal-48xl|48xlarge)|i8g\.metal-48xl|p6-b200\.48xlarge|trn2\.3xlarge)$/,
  },
  {
    why: "its table of addresses is older than these types, or has no types that are rarely nodes",
    what: "vpc.amazonaws.com/PrivateIPv4Address",
    types: /^(c9gd?|r9gd?|hpc\d\w*|t8i|trn2u?)\.|\.metal-\d+xl$/,
  },
];

let api: AwsApi;
let catalogue: Ec2Catalogue;
let megabytes = 0;
const infos: InstanceTypeInfo[] = [];
const zones: Record<string, string[]> = {};

before(async () => {
  api = await openApi();
  const { log } = new RecordingTelemetry();
  const settings = {
    vmMemoryOverheadPercent: 0.075,
    reservedEnis: 0,
    isNodeClassCelEnabled: false,
    isReservedCapacityEnabled: true,
  };
  const counts = { available: () => 0, markLaunched() {}, markTerminated() {}, markUnavailable() {} };
  catalogue = new Ec2Catalogue({
    // Asked for x86_64, this endpoint leaves out what also runs i386, which EC2 does not.
    ec2: { ...api.ec2, describeInstanceTypes: () => api.ec2.describeInstanceTypes({}) },
    region: api.region,
    settings,
    clock,
    log,
    market: {
      prices: { version: 0, onDemand: () => 1, spot: () => 0.3 },
      unavailable: new RecentlyUnavailable({ clock, log }),
      reservations: { version: 0, ...counts },
      shiftedZones: { version: 0, has: () => false },
    },
    placementGroups: { version: 0, find: async () => undefined, known: () => "none" },
  });
  const before = heapUsed();
  await catalogue.refresh();
  listFor("AL2023");
  megabytes = (heapUsed() - before) / 1e6;
  for await (const page of api.ec2.describeInstanceTypes({})) infos.push(...page);
  for await (const page of api.ec2.describeInstanceTypeOfferings({ LocationType: "availability-zone" })) {
    for (const { InstanceType: type = "", Location = "" } of page) zones[type] = [...(zones[type] ?? []), Location];
  }
});
after(() => api.close());

function listFor(amiFamily: ImageFamily): readonly InstanceType[] {
  const subnets = ["a", "b", "c", "d"].map((letter, index) => ({
    id: `subnet-${letter}`,
    zone: `${region}${letter}`,
    zoneID: `usw2-az${index + 1}`,
  }));
  return catalogue.list(modelEc2NodeClass({ uid: amiFamily, spec: { amiFamily }, status: { subnets } }));
}

/** Machines of Apple run neither Linux nor Windows. */
function canBeNode({ ProcessorInfo }: InstanceTypeInfo): boolean {
  return ProcessorInfo?.SupportedArchitectures?.some((arch) => arch === "x86_64" || arch === "arm64") ?? false;
}

describe("all instance types", () => {
  it("are listed, but for those that cannot be nodes", () => {
    const names = listFor("AL2023").map(({ name }) => name);
    assert.deepEqual(
      names,
      infos
        .filter(canBeNode)
        .map(({ InstanceType: type }) => String(type))
        .sort(),
    );
  });

  it("are sold where EC2 sells them", () => {
    for (const { name, offerings } of listFor("AL2023")) {
      const sold = new Set<string>();
      for (const { requirements, isAvailable } of offerings) {
        const zone = [...(requirements.get("topology.kubernetes.io/zone")?.values ?? [])];
        if (isAvailable) sold.add(zone.join());
      }
      // The first Graviton is not for AL2023.
      assert.deepEqual([...sold].sort(), name.startsWith("a1.") ? [] : (zones[name]?.toSorted() ?? []), name);
    }
  });

  it("stay the same when EC2 says the same again", async () => {
    const types = listFor("AL2023");
    const { version } = catalogue;
    await catalogue.refresh();
    assert.equal(catalogue.version, version);
    assert.equal(listFor("AL2023"), types);
  });

  it("take few megabytes", (context) => {
    context.diagnostic(`the catalogue with one list takes ${megabytes.toFixed(1)} MB`);
    assert.ok(megabytes < 40);
  });
});

describe("what we make of instance types", () => {
  const peer = buildPeer((line) => console.log(line));
  const skip = peer === undefined && "there is no Go, so that the Go provider cannot be asked";
  for (const family of ["AL2023", "Bottlerocket", "Windows2022"] as const) {
    it(`is what the Go provider makes of them for ${family}`, { skip }, (context) => {
      const question = { Types: infos.filter(canBeNode), Zones: zones };
      const theirs = askPeer(peer ?? "", family, question);
      const types = listFor(family);
      assert.deepEqual(
        [...theirs.keys()].sort(),
        types.map(({ name }) => name),
      );
      const unexplained: string[] = [];
      const used = new Map<string, number>();
      let agreeing = 0;
      for (const type of types) {
        const found = compare(type, theirs.get(type.name));
        if (found.every(({ what }) => what === "label karpenter.k8s.aws/nitro-sandbox")) agreeing++;
        for (const { what, words } of found) {
          const difference = differences.find(
            (one) => one.what === what && (one.types === undefined || one.types.test(type.name)),
          );
          if (difference === undefined) unexplained.push(`${type.name}: ${what}: ${words}`);
          else used.set(difference.why, (used.get(difference.why) ?? 0) + 1);
        }
      }
      context.diagnostic(`${agreeing} of ${types.length} types agree in every label and amount, nitro-sandbox aside`);
      for (const [why, count] of used) context.diagnostic(`${count} differ because ${why}`);
      assert.deepEqual(unexplained, []);
    });
  }
});

interface Found {
  readonly what: string;
  readonly words: string;
}

function compare(ours: InstanceType, theirs: PeerType | undefined): readonly Found[] {
  const labels = [...ours.requirements].map(([key, { values }]) => [`label ${key}`, [...values].sort().join()]);
  const theirLabels = Object.entries(theirs?.labels ?? {}).map(([key, values]) => [`label ${key}`, values.join()]);
  const amounts = (of: InstanceType["capacity"]) => Object.fromEntries([...of].filter(([, amount]) => amount !== 0));
  return [
    ...compareFields(Object.fromEntries(labels), Object.fromEntries(theirLabels)),
    ...compareFields(amounts(ours.capacity), theirs?.capacity ?? {}),
    ...compareFields(amounts(ours.allocatable), theirs?.allocatable ?? {}),
  ];
}

function compareFields(
  ours: Readonly<Record<string, string | number>>,
  theirs: Readonly<Record<string, string | number>>,
): readonly Found[] {
  const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  return [...keys]
    .filter((key) => ours[key] !== theirs[key])
    .map((what) => ({ what, words: `${ours[what]}, not ${theirs[what]}` }));
}
