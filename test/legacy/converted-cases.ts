import { customResourceDefinitions } from "../../src/core/api/definitions/custom-resource-definitions.ts";
import type { AdmissionCase } from "../api/admission-case.ts";
import { convertFile, manifestNames } from "./convert-folder.ts";

interface Converted {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

/** What old manifests become, which API servers take. */
export const convertedCases: readonly AdmissionCase[] = manifestNames.flatMap((file) =>
  convertFile(file).objects.flatMap((object) => {
    const { kind, metadata, spec } = object as Converted;
    const definition = customResourceDefinitions.find(({ spec: { names } }) => names.kind === kind);
    return definition === undefined
      ? []
      : [{ definition, title: `what ${metadata.name} of ${file} becomes`, object: { spec } }];
  }),
);
