import { type Field, isRecord, nameObject, openObject } from "../field.ts";
import type { Problem } from "../problem.ts";
import { type ClassEntry, NodeClassAssignment, type PoolEntry } from "./assign-node-classes.ts";
import { convertBetaNodeClass } from "./convert-beta-node-class.ts";
import { convertBetaClaim, convertBetaPool } from "./convert-beta-pool.ts";
import { convertFirstProvisioner } from "./convert-first-provisioner.ts";
import { convertNodeTemplate } from "./convert-node-template.ts";
import type { ConvertOptions } from "./convert-options.ts";
import { convertProvisioner } from "./convert-provisioner.ts";
import { noteSettings, settingsName } from "./convert-settings.ts";
import { convertWorkload, describesPods } from "./convert-workload.ts";
import type { NodeClassDraft, PoolDraft } from "./drafts.ts";
import { fillPlaceholders } from "./fill-placeholders.ts";
import { type Note, NoteLog } from "./note.ts";

export interface Conversion {
  /** What can be applied, in the order of what it was made of. Objects with a problem are not among them. */
  readonly objects: readonly object[];
  readonly notes: readonly Note[];
  readonly problems: readonly Problem[];
}

/**
 * Objects of any version of Karpenter, as those of today with the meaning that they had. They are converted together,
 * because settings moved from one object to another. What is of today, or not of Karpenter, stays as it is, but for
 * labels that pods ask for by an old name.
 */
export function convertManifests(wires: readonly unknown[], options: ConvertOptions): Conversion {
  const conversion = new Converter(options);
  for (const wire of wires.flatMap((wire) => openLists(wire, 3))) conversion.add(wire);
  return conversion.finish();
}

/** The objects of a list, which may hold lists. */
function openLists(wire: unknown, depth: number): readonly unknown[] {
  if (!isRecord(wire) || !Array.isArray(wire.items) || depth === 0) return [wire];
  return typeof wire.kind === "string" && wire.kind.endsWith("List")
    ? wire.items.flatMap((item: unknown) => openLists(item, depth - 1))
    : [wire];
}

/** What becomes of an object; undefined for one that is left out, with a note. */
type Outcome =
  | { readonly kind: "pools"; readonly drafts: readonly PoolDraft[] }
  | { readonly kind: "node class"; readonly draft: NodeClassDraft; readonly isFixed?: true }
  | { readonly kind: "object"; readonly object: unknown }
  | undefined;

class Converter {
  readonly #options: ConvertOptions;
  readonly #slots: object[][] = [];
  readonly #classes: ClassEntry[] = [];
  readonly #pools: PoolEntry[] = [];
  readonly #logs: NoteLog[] = [];
  readonly #problems: Problem[] = [];
  readonly #seen = new Set<string>();
  /** Objects with problems, by the name of the node class that they would have become. */
  readonly #failedClasses = new Map<string, string>();

  constructor(options: ConvertOptions) {
    this.#options = options;
  }

  add(wire: unknown): void {
    const kind = isRecord(wire) && typeof wire.kind === "string" ? wire.kind : "Object";
    const name = nameObject(wire, kind.slice(0, 63));
    const object = openObject(wire, name);
    const notes = new NoteLog(name);
    const outcome = object.log.isEmpty ? convertObject(object, notes, this.#options) : undefined;
    if (outcome !== undefined) this.#checkTwins(object, outcome);
    this.#problems.push(...object.log.problems);
    this.#logs.push(notes);
    if (!object.log.isEmpty) {
      const { value } = object.at("metadata").at("name");
      if (isNodeClass(kind) && typeof value === "string") this.#failedClasses.set(value, name);
      return;
    }
    if (outcome === undefined) return;
    const slot: object[] = [];
    this.#slots.push(slot);
    if (outcome.kind === "pools") {
      for (const draft of outcome.drafts) this.#pools.push({ draft, slot, notes });
    } else if (outcome.kind === "object") {
      slot.push(outcome.object as object);
    } else {
      this.#classes.push({ draft: outcome.draft, slot, isFixed: outcome.isFixed === true });
      if (outcome.isFixed) slot.push(wire as object);
    }
  }

  finish(): Conversion {
    const pools = this.#pools.filter((pool) => !this.#isHeldBack(pool));
    new NodeClassAssignment(this.#classes, this.#options.nodeClassPerPool === true).write(pools);
    return {
      objects: this.#slots.flat(),
      notes: unique(this.#logs.flatMap(({ notes }) => notes)),
      problems: this.#problems,
    };
  }

  /** What a pool says about its nodes may have to be written into its node class: without that one it would be half of itself. */
  #isHeldBack({ draft: { nodeClass, classPlace }, notes }: PoolEntry): boolean {
    const failed = "spec" in nodeClass ? undefined : this.#failedClasses.get(nodeClass.name);
    if (failed === undefined) return false;
    const message = `refers to ${failed}, which has errors, so that neither is written: correct those first`;
    this.#problems.push({ object: notes.object, field: classPlace.path, message });
    return true;
  }

  /** Two objects of one name would be one object in the cluster, and which is not said. */
  #checkTwins(object: Field, outcome: NonNullable<Outcome>): void {
    const name = object.at("metadata").at("name");
    for (const identity of identitiesOf(object, outcome)) {
      if (this.#seen.has(identity)) name.note(`must be its own, but there is another ${identity}: rename one of them`);
      this.#seen.add(identity);
    }
  }
}

function isNodeClass(kind: string): boolean {
  return kind === "AWSNodeTemplate" || kind === "EC2NodeClass";
}

/** What the objects will be called, where they can come from objects of several kinds. */
function identitiesOf(object: Field, outcome: NonNullable<Outcome>): string[] {
  if (outcome.kind === "node class") return [`EC2NodeClass ${outcome.draft.metadata.name}`];
  if (object.at("kind").value === "NodeClaim") return [];
  if (outcome.kind === "pools") return outcome.drafts.map(({ name }) => `NodePool ${name}`);
  return object.at("kind").value === "NodePool" ? [`NodePool ${object.at("metadata").at("name").text()}`] : [];
}

/** Alternatives of one object repeat what they have in common. */
function unique(notes: readonly Note[]): readonly Note[] {
  return [...new Map(notes.map((note) => [JSON.stringify(note), note])).values()];
}

function convertObject(object: Field, notes: NoteLog, options: ConvertOptions): Outcome {
  const apiVersion = object.at("apiVersion").requiredText();
  const kind = object.at("kind").requiredText();
  if (!object.log.isEmpty) return undefined;
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  if (/(^|\.)karpenter\.(sh|k8s\.aws)$/.test(group))
    return convertOwn({ object, notes, options, group, version, kind });
  if (kind === "ConfigMap" && object.at("metadata").at("name").value === settingsName) {
    noteSettings(object, notes);
    return undefined;
  }
  return { kind: "object", object: describesPods(kind) ? convertWorkload(object, notes) : object.value };
}

interface OwnObject {
  readonly object: Field;
  readonly notes: NoteLog;
  readonly options: ConvertOptions;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

function convertOwn(own: OwnObject): Outcome {
  const { notes, options, group, version, kind } = own;
  const object = version === "v1" ? own.object : fillPlaceholders(own.object, notes, options);
  switch (`${version} ${kind}`) {
    case "v1alpha5 Provisioner":
      return { kind: "pools", drafts: [convertProvisioner(object, notes, options)] };
    case "v1alpha1 Provisioner":
    case "v1alpha2 Provisioner":
    case "v1alpha3 Provisioner":
    case "v1alpha4 Provisioner":
      return { kind: "pools", drafts: convertFirstProvisioner(object, notes, options) };
    case "v1alpha1 AWSNodeTemplate":
      return { kind: "node class", draft: convertNodeTemplate(object, notes, options) };
    case "v1beta1 NodePool":
      return { kind: "pools", drafts: [convertBetaPool(object, notes)] };
    case "v1beta1 NodeClaim":
      return { kind: "pools", drafts: [convertBetaClaim(object, notes)] };
    case "v1beta1 EC2NodeClass":
      return { kind: "node class", draft: convertBetaNodeClass(object, notes, options) };
    case "v1 EC2NodeClass":
      return { kind: "node class", draft: existingClass(object), isFixed: true };
    case "v1alpha5 Machine":
      notes.dropped(object, "is left out: Karpenter made it for a node, and makes a NodeClaim now");
      return undefined;
    default:
      if (version === "v1" || version === "v1alpha1") return { kind: "object", object: keep(own) };
      object.at("kind").note(`must be a kind of ${group}/${version} that there was, found ${kind}: ${knownKinds}`);
      return undefined;
  }
}

const knownKinds =
  "Provisioner of v1alpha1 to v1alpha5, AWSNodeTemplate of v1alpha1, and NodePool, NodeClaim and EC2NodeClass of v1beta1 can be converted";

/** Kinds of today: NodePool, NodeClaim and NodeOverlay among them. */
function keep({ object, group, version, kind }: OwnObject): unknown {
  if (group === "autoscaling.karpenter.sh") {
    object.note("cannot be converted: it belongs to what Karpenter was before it bought machines. Remove it");
  } else if (version === "v1alpha1" && kind !== "NodeOverlay") {
    object.at("kind").note(`must be a kind of ${group}/${version} that there was, found ${kind}: ${knownKinds}`);
  }
  return object.value;
}

/** What copies of it are made of. */
function existingClass(object: Field): NodeClassDraft {
  const { name } = object.at("metadata").record() ?? {};
  return { metadata: { name: typeof name === "string" ? name : "" }, spec: object.at("spec").record() ?? {} };
}
