import type { Owner, Pod } from "../model/pod.ts";
import type { Demand, Workload, WorkloadKind } from "../model/workload.ts";
import { isRecord } from "./field.ts";
import { GenerationCache } from "./generation-cache.ts";
import type { Read } from "./problem.ts";
import { createPodReader } from "./read-pod.ts";
import { fromReadingParts, type ReadingParts, toReadingParts, type WireTemplate } from "./reading-parts.ts";

/** The parts of a template, each as JSON. */
type TemplateText = Readonly<Record<keyof ReadingParts, string>>;

type WorkloadFields = Omit<Workload, "template">;

/** A Deployment and its ReplicaSets have most of their text in common, and come within so many others. */
const sharedTexts = 2_000;
/** Templates of workloads that create pods just now. */
const templatesInUse = 500;

/**
 * Keeps templates as text, in parts of which equal ones are one. Of tens of thousands most are never looked at, and as
 * objects they would take several times the memory.
 */
export class TemplateKeeper {
  readonly #texts = new GenerationCache<string>(sharedTexts);
  /** Remembers little: that it was called leaves nothing behind. */
  readonly #check = createPodReader(20);
  readonly #readPod = createPodReader(templatesInUse);

  /** The workload with its template, which is as admission leaves it, or what is wrong with that. */
  keep(workload: WorkloadFields, template: WireTemplate): Read<Workload> {
    const { problems } = this.#check(wirePod(workload, template));
    if (problems !== undefined) return { problems };
    const { metadata, relations, rest } = toReadingParts(template);
    const text = { metadata: this.#textOf(metadata), relations: this.#textOf(relations), rest: this.#textOf(rest) };
    return { value: new KeptWorkload(workload, text, this) };
  }

  #textOf(part: object): string {
    const text = JSON.stringify(part);
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }

  /** The pod that a template describes. */
  read(workload: WorkloadFields, { metadata, relations, rest }: TemplateText): Pod {
    const parts = { metadata: JSON.parse(metadata), relations: JSON.parse(relations), rest: JSON.parse(rest) };
    const read = this.#readPod(wirePod(workload, fromReadingParts(parts)));
    if (read.problems === undefined) return read.value;
    throw new Error(`Cannot read the template of ${workload.kind} ${workload.namespace}/${workload.name} again`);
  }
}

function wirePod({ kind, namespace, name, uid, createdAt }: WorkloadFields, { metadata, spec }: WireTemplate): unknown {
  const { labels, annotations } = isRecord(metadata) ? metadata : {};
  const apiVersion = kind === "ReplicationController" ? "v1" : kind === "Job" ? "batch/v1" : "apps/v1";
  return {
    metadata: {
      name,
      namespace,
      labels,
      annotations,
      uid: `${uid}/template`,
      creationTimestamp: new Date(createdAt).toISOString(),
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    },
    spec,
    status: { phase: "Pending" },
  };
}

/** Reads its template when it is asked for, and again when memory was short since. */
class KeptWorkload implements Workload {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: number;
  readonly isDeleting: boolean;
  readonly controller: Owner | undefined;
  readonly isOptedOut: boolean;
  readonly isObserved: boolean;
  readonly demand: Demand;
  readonly #text: TemplateText;
  readonly #keeper: TemplateKeeper;
  #template: WeakRef<Pod> | undefined;

  constructor(fields: WorkloadFields, text: TemplateText, keeper: TemplateKeeper) {
    this.kind = fields.kind;
    this.namespace = fields.namespace;
    this.name = fields.name;
    this.uid = fields.uid;
    this.createdAt = fields.createdAt;
    this.isDeleting = fields.isDeleting;
    this.controller = fields.controller;
    this.isOptedOut = fields.isOptedOut;
    this.isObserved = fields.isObserved;
    this.demand = fields.demand;
    this.#text = text;
    this.#keeper = keeper;
  }

  get template(): Pod {
    const known = this.#template?.deref();
    if (known !== undefined) return known;
    const template = this.#keeper.read(this, this.#text);
    this.#template = new WeakRef(template);
    return template;
  }
}
