import type { Image } from "@aws-sdk/client-ec2";
import { archLabel } from "../../../core/model/labels.ts";
import type { RequirementEntry } from "../../../core/model/requirement-entries.ts";
import type { StatusImage } from "../node-class/ec2-node-class.ts";

/** By the id of an image: which machines it is for, besides those of its architecture. */
export type KnownRequirements = ReadonlyMap<string, readonly (readonly RequirementEntry[])[]>;

interface FoundImage extends StatusImage {
  readonly name: string;
  /** Milliseconds since 1970; -Infinity when AWS does not say. */
  readonly createdAt: number;
  /** The same text for the same requirements. */
  readonly purpose: string;
}

const architectures: ReadonlyMap<string, string> = new Map([
  ["x86_64", "amd64"],
  ["arm64", "arm64"],
]);

/** The best image for each set of requirements, as the status lists them: the newest first. */
export function chooseImages(images: readonly Image[], known: KnownRequirements, now: number): StatusImage[] {
  const best = new Map<string, FoundImage>();
  for (const image of images.flatMap((found) => purposesOf(found, known, now))) {
    const other = best.get(image.purpose);
    if (other === undefined || isBetter(image, other)) best.set(image.purpose, image);
  }
  return [...best.values()]
    .sort(byAge)
    .map(({ id, name, deprecated, requirements }) => ({ id, name, deprecated, requirements }));
}

/** An image that serves several kinds of machines counts once for each. */
function purposesOf(image: Image, known: KnownRequirements, now: number): FoundImage[] {
  const { ImageId: id = "", Name: name = "", Architecture = "", CreationDate, DeprecationTime } = image;
  const arch = architectures.get(Architecture);
  if (arch === undefined || id === "") return [];
  const ofArchitecture: RequirementEntry = { key: archLabel, operator: "In", values: [arch], minValues: undefined };
  return (known.get(id) ?? [[]]).map((set) => {
    const requirements = [...set, ofArchitecture].sort(byKey);
    return {
      id,
      name,
      deprecated: seconds(timeOf(DeprecationTime) ?? Number.POSITIVE_INFINITY) <= seconds(now),
      requirements,
      createdAt: timeOf(CreationDate) ?? Number.NEGATIVE_INFINITY,
      purpose: JSON.stringify(requirements),
    };
  });
}

function isBetter(image: FoundImage, other: FoundImage): boolean {
  if (image.deprecated !== other.deprecated) return other.deprecated;
  if (seconds(image.createdAt) !== seconds(other.createdAt)) return image.createdAt > other.createdAt;
  if (image.name !== other.name) return image.name > other.name;
  return image.id < other.id;
}

function byAge(left: FoundImage, right: FoundImage): number {
  if (seconds(left.createdAt) !== seconds(right.createdAt)) return left.createdAt > right.createdAt ? -1 : 1;
  if (left.id !== right.id) return left.id < right.id ? -1 : 1;
  return left.purpose < right.purpose ? -1 : 1;
}

function byKey({ key: left }: RequirementEntry, { key: right }: RequirementEntry): number {
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : 1;
}

function timeOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
