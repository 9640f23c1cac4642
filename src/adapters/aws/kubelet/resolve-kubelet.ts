import { isRecord } from "../../../core/api/field.ts";
import type { MachineFacts, ResolvedKubelet } from "../aws-parts.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { type CompiledKubelet, compileKubelet, evaluateKubelet, isQuantity, maxPodsIn } from "./kubelet-expressions.ts";

export interface KubeletQuestion {
  readonly nodeClass: Ec2NodeClass;
  readonly facts: MachineFacts;
  /** What the image family allows where the node class says nothing. */
  readonly defaultMaxPods: number;
  readonly isCelEnabled: boolean;
}

type Kubelet = Readonly<Record<string, unknown>>;

/** What is the same for all types of machines. */
interface WrittenKubelet {
  readonly config: Kubelet;
  readonly maxPods: number | undefined;
  readonly clusterDns: readonly string[];
  readonly kubeReserved: ReadonlyMap<string, string>;
  readonly systemReserved: ReadonlyMap<string, string>;
  readonly compiled: CompiledKubelet;
}

/** There are hundreds of types of machines for each node class. */
const known = new WeakMap<Kubelet, WrittenKubelet>();
const nothing: Kubelet = {};

/**
 * The settings of the kubelet on one type of machine. What cannot be made out there, or not while expressions are not
 * enabled, is as if it were absent: the node class is not ready then, and says why.
 */
export function resolveKubelet(question: KubeletQuestion): ResolvedKubelet {
  const { nodeClass, facts, defaultMaxPods, isCelEnabled } = question;
  const { compiled, ...written } = writtenIn(nodeClass.spec.kubelet ?? nothing);
  if (!isCelEnabled || compiled.expressions.length === 0) {
    return { ...written, maxPods: written.maxPods ?? defaultMaxPods };
  }
  const evaluated = evaluateKubelet(compiled, { facts, maxPods: defaultMaxPods });
  return {
    ...written,
    maxPods: evaluated.maxPods ?? written.maxPods ?? defaultMaxPods,
    kubeReserved: new Map([...written.kubeReserved, ...evaluated.kubeReserved]),
    systemReserved: new Map([...written.systemReserved, ...evaluated.systemReserved]),
  };
}

function writtenIn(kubelet: Kubelet): WrittenKubelet {
  const before = known.get(kubelet);
  if (before !== undefined) return before;
  const fresh = readWritten(kubelet);
  known.set(kubelet, fresh);
  return fresh;
}

function readWritten(kubelet: Kubelet): WrittenKubelet {
  const kubeReserved = quantitiesIn(kubelet.kubeReserved);
  const systemReserved = quantitiesIn(kubelet.systemReserved);
  const { maxPods: _, kubeReserved: _kube, systemReserved: _system, ...rest } = kubelet;
  const maxPods = maxPodsIn(kubelet);
  const compilation = compileKubelet(kubelet);
  return {
    config: {
      ...rest,
      ...(maxPods === undefined ? {} : { maxPods }),
      ...(kubeReserved.size === 0 ? {} : { kubeReserved: Object.fromEntries(kubeReserved) }),
      ...(systemReserved.size === 0 ? {} : { systemReserved: Object.fromEntries(systemReserved) }),
    },
    maxPods,
    clusterDns: Array.isArray(kubelet.clusterDNS) ? kubelet.clusterDNS.filter((part) => typeof part === "string") : [],
    kubeReserved,
    systemReserved,
    compiled: compilation.problems === undefined ? compilation.compiled : { writtenMaxPods: maxPods, expressions: [] },
  };
}

function quantitiesIn(map: unknown): ReadonlyMap<string, string> {
  if (!isRecord(map)) return new Map();
  const texts = Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return new Map(texts.filter(([, text]) => isQuantity(text)));
}
