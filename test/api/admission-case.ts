import type { CustomResourceDefinition } from "../../src/core/api/definitions/custom-resource-definition.ts";

/** An object that somebody writes, and what an API server with our definitions says to it. */
export interface AdmissionCase {
  readonly definition: CustomResourceDefinition;
  /** What is special about the object. */
  readonly title: string;
  /** Without its name. */
  readonly object: object;
  /** The object that it replaces; it is a new one by default. */
  readonly before?: object;
  /** What the refusal says among other things; undefined when the object is taken. */
  readonly refusal?: string;
  /** Why the definitions of the Go version judge otherwise, where they do. */
  readonly unlikeUpstream?: string;
}

/** Objects of one kind. */
export interface CaseWriter {
  takes(title: string, object: object, before?: object): AdmissionCase;
  refuses(title: string, object: object, refusal: string): AdmissionCase;
  refusesChange(title: string, objects: { readonly from: object; readonly to: object }, refusal: string): AdmissionCase;
}

export function casesOf(definition: CustomResourceDefinition): CaseWriter {
  return {
    takes: (title, object, before) => ({ definition, title, object, ...(before === undefined ? {} : { before }) }),
    refuses: (title, object, refusal) => ({ definition, title, object, refusal }),
    refusesChange: (title, { from, to }, refusal) => ({ definition, title, object: to, before: from, refusal }),
  };
}
