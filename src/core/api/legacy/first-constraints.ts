import { archLabel, capacityTypeLabel, instanceTypeLabel, osLabel, zoneLabel } from "../../model/labels.ts";
import type { Field } from "../field.ts";
import type { Requirement } from "./convert-requirements.ts";
import type { NoteLog } from "./note.ts";

const regionLabel = "topology.kubernetes.io/region";
const capacityTypes: readonly string[] = ["spot", "on-demand"];

/** Where the parts of a set of constraints are looked for, in this order. */
export type Sources = readonly Field[];

/** The first place that says something under this name; otherwise the last, which is the spec. */
export function findField(sources: Sources, name: string): Field {
  const fields = sources.map((source) => source.at(name));
  const found = fields.find((field) => !field.isAbsent) ?? fields.at(-1);
  if (found === undefined) throw new Error("constraints have at least one source");
  return found;
}

/**
 * Constraints stood directly under spec. Some articles put them under `constraints`, as a map or as a list; entries of
 * a list that speak of different things belong together, and those that speak of the same are alternatives.
 */
export function constraintSources(spec: Field): readonly Sources[] {
  const constraints = spec.at("constraints");
  if (constraints.isAbsent) return [[spec]];
  if (!Array.isArray(constraints.value)) return [[constraints, spec]];
  const entries = constraints.items(50);
  const names = entries.flatMap((entry) => entry.entries().flatMap(([name, value]) => topicOf(name, value)));
  const areAlternatives = new Set(names).size < names.length;
  if (areAlternatives) return entries.map((entry) => [entry, spec]);
  return [[...entries, spec]];
}

/** What an entry is about; where all machines are is about nothing in particular. */
function topicOf(name: string, { value }: Field): string[] {
  if (name === "region") return [];
  if (name === "type") return typeof value === "string" && capacityTypes.includes(value) ? ["capacity type"] : [];
  return [name];
}

/** Constraints that pods could override, as requirements. */
export function convertConstraints(sources: Sources, notes: NoteLog): Requirement[] {
  const list = (names: readonly [string, string], key: string): Requirement[] => {
    const values = names.flatMap((name) => textsOf(findField(sources, name)));
    return values.length === 0 ? [] : [{ key, operator: "In", values: [...new Set(values)] }];
  };
  return [
    ...convertZones(sources),
    ...list(["instanceTypes", "instanceType"], instanceTypeLabel),
    ...list(["architectures", "architecture"], archLabel),
    ...list(["operatingSystems", "operatingSystem"], osLabel),
    ...convertType(findField(sources, "type"), notes),
  ];
}

export function convertRegion(sources: Sources): Requirement[] {
  const region = findField(sources, "region").text() ?? "";
  return region === "" ? [] : [{ key: regionLabel, operator: "In", values: [region] }];
}

function convertZones(sources: Sources): Requirement[] {
  const region = findField(sources, "region").text() ?? "";
  const field = findField(sources, "zones");
  const zones = field.texts(50).map((zone, index) => {
    if (!/^[a-z]$/.test(zone)) return zone;
    if (region === "") {
      const place = field.items()[index] ?? field;
      place.note("must be the whole name of a zone, such as us-west-2a, or go with a region");
    }
    return `${region}${zone}`;
  });
  return zones.length === 0 ? [] : [{ key: zoneLabel, operator: "In", values: [...new Set(zones)] }];
}

function convertType(field: Field, notes: NoteLog): Requirement[] {
  const type = field.text();
  if (type === undefined) return [];
  if (capacityTypes.includes(type)) return [{ key: capacityTypeLabel, operator: "In", values: [type] }];
  const isCloud = type.toLowerCase() === "aws" || type.toLowerCase() === "ec2";
  const reason = isCloud ? "the node class says which cloud it is" : "it says nothing about machines";
  notes.dropped(field, `is left out: ${reason}`);
  return [];
}

/** A list, or one text. */
function textsOf(field: Field): string[] {
  const one = typeof field.value === "string" ? [field.value] : field.texts(500);
  return one.filter((text) => text !== "");
}
