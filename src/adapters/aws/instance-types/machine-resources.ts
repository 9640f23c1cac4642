import { parseQuantity } from "../../../core/model/quantity.ts";
import {
  addQuantities,
  type ResourceQuantities,
  type Resources,
  subtractResources,
  toResources,
} from "../../../core/model/resources.ts";
import type { MachineFacts } from "../aws-parts.ts";
import type { AwsSettings } from "../aws-settings.ts";
import { resolveKubelet } from "../kubelet/resolve-kubelet.ts";
import { efaResource } from "../names.ts";
import type { Ec2NodeClass, Ec2NodeClassSpec, NetworkInterface } from "../node-class/ec2-node-class.ts";
import { branchInterfacesOf } from "./branch-interfaces.ts";
import { type ImageFamilyFeatures, imageFamilyFeatures } from "./image-family-features.ts";
import { countEfaOnly } from "./is-compatible.ts";
import type { MachineType } from "./machine-type.ts";

export type ResourceSettings = Pick<AwsSettings, "vmMemoryOverheadPercent" | "reservedEnis" | "isNodeClassCelEnabled">;

export interface MachineResources {
  readonly capacity: Resources;
  readonly allocatable: Resources;
}

const mebibyte = 2 ** 20;
/** What the firmware of Graviton machines takes. */
const armMebibytes = 64;
const defaultPods = 110;

/** What a node on such a machine will have. Memory that a node turned out to have goes before what is reckoned. */
export function machineResourcesOf(
  machine: MachineType,
  nodeClass: Ec2NodeClass,
  { settings, memory }: { readonly settings: ResourceSettings; readonly memory: number },
): MachineResources {
  const { spec } = nodeClass;
  const features = imageFamilyFeatures[spec.amiFamily];
  const defaultMaxPods = defaultMaxPodsOf(machine, nodeClass, settings);
  const isCelEnabled = settings.isNodeClassCelEnabled;
  const kubelet = resolveKubelet({ nodeClass, facts: machine, defaultMaxPods, isCelEnabled });
  const pods = podsOf(machine, features, kubelet);
  const storage = ephemeralStorageOf(machine, spec);
  const efas = spec.networkInterfaces.length > 0 ? countEfaOnly(spec.networkInterfaces) : machine.efaInterfaces;
  const capacity = new Map([
    ["cpu", machine.vcpus * 1000],
    ["memory", memory],
    ["ephemeral-storage", storage],
    ["pods", pods],
    ...machine.devices,
  ]);
  const setIfAny = (resource: string, amount: number) => amount > 0 && capacity.set(resource, amount);
  setIfAny("vpc.amazonaws.com/pod-eni", branchInterfacesOf(machine.name));
  setIfAny(efaResource, efas);
  if (features.build !== undefined && machine.arch === "amd64") {
    setIfAny("vpc.amazonaws.com/PrivateIPv4Address", machine.addressesPerInterface - 1);
  }
  const reservedPods = features.reservesByInterfaces ? eniLimitedPods(machine, 0, spec.networkInterfaces) : pods;
  const overhead = [
    new Map([...kubeReservedOf(machine.vcpus, reservedPods), ...quantitiesOf(kubelet.kubeReserved)]),
    quantitiesOf(kubelet.systemReserved),
    evictionThresholdOf(kubelet.config.evictionHard, reckonedMemory(machine, settings), storage),
  ].reduce(addQuantities);
  return { capacity, allocatable: subtractResources(capacity, toResources(overhead)) };
}

/** Bytes that a node will have, as far as can be told before there was one. */
export function reckonedMemory(machine: MachineType, { vmMemoryOverheadPercent }: ResourceSettings): number {
  const mebibytes = machine.arch === "arm64" ? machine.memoryMib - armMebibytes : machine.memoryMib;
  const overhead = Math.ceil((mebibytes * mebibyte * vmMemoryOverheadPercent) / 1024 / 1024);
  return (mebibytes - overhead) * mebibyte;
}

/** How many pods a node may have where the kubelet's settings say nothing. */
export function defaultMaxPodsOf(
  machine: MachineFacts,
  { spec }: Pick<Ec2NodeClass, "spec">,
  { reservedEnis }: Pick<AwsSettings, "reservedEnis">,
): number {
  return imageFamilyFeatures[spec.amiFamily].limitsPodsByInterfaces
    ? eniLimitedPods(machine, reservedEnis, spec.networkInterfaces)
    : defaultPods;
}

/** As many pods as the interfaces that the network plugin uses have addresses to give, and two that need none. */
function eniLimitedPods(machine: MachineFacts, reserved: number, interfaces: readonly NetworkInterface[]): number {
  const taken = countEfaOnly(interfaces.filter(({ networkCardIndex }) => networkCardIndex === 0));
  const usable = Math.max(0, machine.interfaces - reserved - taken);
  return usable === 0 ? 0 : usable * (machine.addressesPerInterface - 1) + 2;
}

function podsOf(
  { vcpus }: MachineType,
  { honoursPodsPerCore }: ImageFamilyFeatures,
  { maxPods, config }: { readonly maxPods: number; readonly config: Readonly<Record<string, unknown>> },
): number {
  const { podsPerCore } = config;
  if (!honoursPodsPerCore || typeof podsPerCore !== "number" || podsPerCore <= 0) return maxPods;
  return Math.min(maxPods, podsPerCore * vcpus);
}

function ephemeralStorageOf(machine: MachineType, spec: Ec2NodeClassSpec): number {
  if (spec.instanceStorePolicy === "RAID0" && machine.instanceStoreGigabytes > 0) {
    return machine.instanceStoreGigabytes * 1e9;
  }
  const { ephemeralDevice, ephemeralBytes } = imageFamilyFeatures[spec.amiFamily];
  const devices = spec.blockDeviceMappings;
  const root = devices.find(({ rootVolume }) => rootVolume)?.ebs?.volumeSize;
  if (root !== undefined) return root;
  // Nobody knows what device an image of the user's own keeps its files on.
  const device =
    ephemeralDevice === undefined ? devices.at(-1) : devices.find(({ deviceName }) => deviceName === ephemeralDevice);
  return device?.ebs?.volumeSize ?? ephemeralBytes;
}

/** What the kubelet keeps of cores, less of each that comes after the first. */
const coreShares: readonly (readonly [upTo: number, share: number])[] = [
  [1, 0.06],
  [2, 0.01],
  [4, 0.005],
  [Number.POSITIVE_INFINITY, 0.0025],
];

function kubeReservedOf(vcpus: number, pods: number): ResourceQuantities {
  let millicores = 0;
  let from = 0;
  for (const [upTo, share] of coreShares) {
    if (vcpus > from) millicores += Math.trunc((Math.min(vcpus, upTo) - from) * 1000 * share);
    from = upTo;
  }
  return new Map([
    ["cpu", quantity(`${millicores}m`)],
    ["memory", quantity(`${11 * pods + 255}Mi`)],
    ["ephemeral-storage", quantity("1Gi")],
  ]);
}

function evictionThresholdOf(evictionHard: unknown, memory: number, storage: number): ResourceQuantities {
  const signals = typeof evictionHard === "object" && evictionHard !== null ? evictionHard : {};
  const threshold = (signal: string, capacity: number) =>
    signalOf((signals as Readonly<Record<string, unknown>>)[signal], capacity);
  return new Map([
    ["memory", threshold("memory.available", memory) ?? quantity("100Mi")],
    ["ephemeral-storage", threshold("nodefs.available", storage) ?? quantity(Math.ceil((storage / 100) * 10))],
  ]);
}

/** A hundred percent turns eviction off. */
function signalOf(signal: unknown, capacity: number): bigint | undefined {
  if (typeof signal !== "string") return undefined;
  if (!signal.endsWith("%")) return parseQuantity(signal);
  const percent = Number(signal.slice(0, -1));
  if (signal === "%" || !Number.isFinite(percent)) return undefined;
  return percent === 100 ? 0n : quantity(Math.ceil((capacity / 100) * percent));
}

function quantitiesOf(amounts: ReadonlyMap<string, string>): ResourceQuantities {
  const quantities = new Map<string, bigint>();
  for (const [resource, text] of amounts) {
    const amount = parseQuantity(text);
    if (amount !== undefined) quantities.set(resource, amount);
  }
  return quantities;
}

function quantity(text: string | number): bigint {
  return parseQuantity(text) ?? 0n;
}
