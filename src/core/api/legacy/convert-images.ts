import type { Field } from "../field.ts";
import type { ConvertOptions } from "./convert-options.ts";
import { readSelector, type Term } from "./convert-selector.ts";
import type { NoteLog } from "./note.ts";

const families = ["AL2", "AL2023", "Bottlerocket", "Ubuntu", "Windows2019", "Windows2022", "Windows2025", "Custom"];

/** `amiSelectorTerms`, and `amiFamily` where the terms do not tell. */
export interface Images {
  readonly amiSelectorTerms: readonly Term[];
  readonly amiFamily?: string;
}

export interface ImageSource {
  readonly spec: Field;
  readonly notes: NoteLog;
  readonly options: ConvertOptions;
}

/** Which images machines start from. Without terms it is the newest of the family, and AL2 without a family. */
export function convertImages(source: ImageSource, terms: readonly Term[]): Images {
  const { spec, notes } = source;
  const written = spec.at("amiFamily").choice(families);
  const family = written ?? "AL2";
  if (terms.length > 0) {
    if (family !== "Ubuntu") return { amiFamily: family, amiSelectorTerms: terms };
    noteUbuntu(source);
    return { amiFamily: "AL2", amiSelectorTerms: terms };
  }
  if (family === "Custom") {
    spec.at("amiFamily").note("must not be Custom without a selector of images: add one, or name another family");
  }
  if (family === "Ubuntu") return ubuntuImages(source);
  if (family === "AL2") return amazonLinux2(source);
  notes.changed(spec.at("amiFamily"), `is the alias ${family.toLowerCase()}@latest of amiSelectorTerms now`);
  return { amiSelectorTerms: [{ alias: `${family.toLowerCase()}@latest` }] };
}

/** EKS has no images of it for later versions. */
const lastMinorOfAmazonLinux2 = 32;

function amazonLinux2({ spec, notes, options }: ImageSource): Images {
  const place = spec.at("amiFamily");
  const alias = "the alias al2@latest of amiSelectorTerms";
  const was = place.isAbsent ? "was AL2 by default, which is" : "is";
  const minor = minorOf(options.kubernetesVersion);
  if (minor === undefined || minor <= lastMinorOfAmazonLinux2) {
    notes.changed(place, `${was} ${alias} now; from Kubernetes 1.33 on there are no such images: write al2023@latest`);
    return { amiSelectorTerms: [{ alias: "al2@latest" }] };
  }
  if (spec.at("userData").isAbsent) {
    notes.changed(
      place,
      `was AL2, of which there are no images for Kubernetes 1.${minor}; al2023@latest takes its place`,
    );
    return { amiSelectorTerms: [{ alias: "al2023@latest" }] };
  }
  notes.changed(
    place,
    `${was} ${alias} now, but there are no such images for Kubernetes 1.${minor}: write al2023@latest, and userData for it`,
  );
  return { amiSelectorTerms: [{ alias: "al2@latest" }] };
}

/** Up to which minor version of Kubernetes Canonical makes images of a release. */
const ubuntuReleases = [
  { release: "20.04", volume: "ebs-gp2", lastMinor: 29 },
  { release: "22.04", volume: "ebs-gp2", lastMinor: 32 },
];
const newestUbuntu = { release: "24.04", volume: "ebs-gp3" };

function ubuntuImages(source: ImageSource): Images {
  const minor = minorOf(source.options.kubernetesVersion);
  if (minor === undefined) {
    source.spec
      .at("amiFamily")
      .note("must not be Ubuntu without a selector of images or the version of Kubernetes, which its images depend on");
    return { amiSelectorTerms: [] };
  }
  noteUbuntu(source);
  const { release, volume } = ubuntuReleases.find(({ lastMinor }) => minor <= lastMinor) ?? newestUbuntu;
  if (release !== "20.04") {
    source.notes.changed(
      source.spec.at("amiFamily"),
      `was Ubuntu 20.04, of which Canonical has no images for Kubernetes 1.${minor}; ${release} takes its place`,
    );
  }
  const parameter = (architecture: string) =>
    `/aws/service/canonical/ubuntu/eks/${release}/1.${minor}/stable/current/${architecture}/hvm/${volume}/ami-id`;
  return {
    amiFamily: "AL2",
    amiSelectorTerms: [{ ssmParameter: parameter("amd64") }, { ssmParameter: parameter("arm64") }],
  };
}

function noteUbuntu({ spec, notes }: ImageSource): void {
  notes.changed(
    spec.at("amiFamily"),
    "Ubuntu is no family any more; its machines join as those of AL2 do, with a root volume that is written out",
  );
}

function minorOf(version: string | undefined): number | undefined {
  const minor = /^v?1\.(\d{1,3})\b/.exec(version ?? "")?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** The terms of an `amiSelector` of AWSNodeTemplate. */
export function convertImageSelector(field: Field, notes: NoteLog): Term[] {
  const { ids, names, owners, tagSets } = readSelector(field);
  const hasTags = Object.keys(tagSets[0] ?? {}).length > 0;
  if (ids.length > 0) {
    if (hasTags || names.length > 0 || owners.length > 0) {
      notes.dropped(field, "had more than ids, which say all now: what else there is is left out");
    }
    return ids.map((id) => ({ id }));
  }
  if (!hasTags && names.length === 0) {
    if (owners.length > 0) field.note("must select images by more than their owners: add aws::name, aws::ids or tags");
    return [];
  }
  if (hasTags) notes.changed(field, "selects images only: their tags say nothing about machines any more");
  // Tags alone found images of anybody's own and of Amazon; without an owner they would find those of others too.
  const anyOwner = names.length > 0 ? [{}] : [{ owner: "self" }, { owner: "amazon" }];
  const ownerParts = owners.length > 0 ? owners.map((owner) => ({ owner })) : anyOwner;
  const nameParts = names.length > 0 ? names.map((name) => ({ name })) : [{}];
  const terms = ownerParts.flatMap((owner) =>
    nameParts.flatMap((name) => tagSets.map((tags) => ({ ...(hasTags ? { tags } : {}), ...name, ...owner }))),
  );
  if (terms.length > 30) field.note("must not have more than 30 combinations of owners, names and tags: list ids");
  return terms;
}
