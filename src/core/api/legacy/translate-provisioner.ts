import { isRecord } from "../field.ts";
import { ec2NodeClasses, nodePools } from "../karpenter-resources.ts";
import { describeProblem, type Problem } from "../problem.ts";
import { convertManifests } from "./convert-manifests.ts";
import type { ConvertOptions } from "./convert-options.ts";
import type { Note } from "./note.ts";
import { writtenVersion } from "./written-version.ts";

/** On what is made of a Provisioner: its uid. */
export const provisionerUidAnnotation = "karpenter.sh/provisioner-uid";

/** A Provisioner of any version, as far as what is made of it depends on whose it is. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Only the first ones were in one, and own by their annotation: what is in no namespace cannot belong to one. */
  readonly namespace?: string;
  readonly uid: string;
}

/** What is wanted of an object that is made of a Provisioner. */
export interface Wanted {
  readonly resource: typeof nodePools | typeof ec2NodeClasses;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface Translation {
  /** Node classes before the pools that use them; none when there are problems. */
  readonly wanted: readonly Wanted[];
  /** A sentence each. */
  readonly dropped: readonly string[];
  readonly changed: readonly string[];
  readonly problems: readonly string[];
}

export interface TranslationSource {
  readonly owner: Owner;
  readonly provisioner: unknown;
  /** The AWSNodeTemplate that it refers to, where there is one. */
  readonly template: unknown;
}

/** What a Provisioner is carried out as. */
export function translateProvisioner(source: TranslationSource, options: ConvertOptions): Translation {
  const { owner, provisioner, template } = source;
  const missing = missingTemplate(source);
  const objects = [bare(template), bare(provisioner, { apiVersion: writtenVersion(provisioner) })];
  const conversion = convertManifests(
    objects.filter((object) => object !== undefined),
    { ...options, nodeClassPerPool: true },
  );
  const ownName = `${owner.kind} ${owner.name}`;
  const words = (problem: Problem): string =>
    problem.object === ownName && problem.field !== ""
      ? `${problem.field} ${problem.message}.`
      : describeProblem(problem);
  const ofKind = (kind: Note["kind"]) => conversion.notes.filter((note) => note.kind === kind).map(words);
  const problems = [...missing, ...conversion.problems].map(words);
  return {
    wanted: problems.length > 0 ? [] : conversion.objects.flatMap((object) => wantedFrom(object, owner)),
    dropped: ofKind("dropped"),
    changed: ofKind("changed"),
    problems,
  };
}

/** The name of the AWSNodeTemplate that a Provisioner refers to. */
export function templateNameOf(provisioner: unknown): string | undefined {
  const spec = isRecord(provisioner) && isRecord(provisioner.spec) ? provisioner.spec : {};
  const reference = isRecord(spec.providerRef) ? spec.providerRef : {};
  const isTemplate = reference.kind === undefined || reference.kind === "" || reference.kind === "AWSNodeTemplate";
  return isTemplate && typeof reference.name === "string" && reference.name !== "" ? reference.name : undefined;
}

function missingTemplate({ owner, provisioner, template }: TranslationSource): Problem[] {
  const name = templateNameOf(provisioner);
  if (name === undefined || template !== undefined) return [];
  return [
    {
      object: `${owner.kind} ${owner.name}`,
      field: "spec.providerRef.name",
      message: `must name an AWSNodeTemplate that there is: create ${name}, or refer to another`,
    },
  ];
}

/** What the object says; who else keeps track of it by labels and annotations does not keep track of what is made of it. */
function bare(wire: unknown, more: object = {}): object | undefined {
  if (!isRecord(wire) || !isRecord(wire.metadata)) return undefined;
  const { name, annotations } = wire.metadata;
  const kept = isRecord(annotations) ? Object.entries(annotations).filter(([key]) => isForPools(key)) : [];
  const { apiVersion, kind, spec } = wire;
  return { apiVersion, kind, metadata: { name, annotations: Object.fromEntries(kept) }, spec: spec ?? {}, ...more };
}

function isForPools(annotation: string): boolean {
  return annotation.startsWith("karpenter.sh/") && !annotation.endsWith("-hash") && !annotation.endsWith("-version");
}

interface Converted {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

function wantedFrom(object: object, owner: Owner): Wanted[] {
  const { kind, metadata, spec } = object as Converted;
  const { name } = metadata;
  const mark = { [provisionerUidAnnotation]: owner.uid };
  switch (kind) {
    case nodePools.kind: {
      return [{ resource: nodePools, name, annotations: { ...metadata.annotations, ...mark }, spec }];
    }
    case ec2NodeClasses.kind:
      return [{ resource: ec2NodeClasses, name, annotations: mark, spec }];
    default:
      return [];
  }
}
