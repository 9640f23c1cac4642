import type { InstanceType } from "../../../core/model/instance-type.ts";
import type { RequirementEntry } from "../../../core/model/requirement-entries.ts";
import { incompatibleKey, intersectAll, makeRequirement, type Requirements } from "../../../core/model/requirements.ts";
import type { StatusImage } from "../node-class/ec2-node-class.ts";

const nothing: ReadonlySet<string> = new Set();

/** Which types are launched with which image: each with the first whose requirements it meets, those with none left out. */
export function mapImages<Type extends Pick<InstanceType, "requirements">>(
  types: readonly Type[],
  images: readonly StatusImage[],
): Map<string, Type[]> {
  const asked = images.map(({ id, requirements }) => ({ id, requirements: requirementsOf(requirements) }));
  const mapped = new Map<string, Type[]>();
  for (const type of types) {
    const image = asked.find(
      ({ requirements }) => incompatibleKey(type.requirements, requirements, nothing) === undefined,
    );
    if (image === undefined) continue;
    const others = mapped.get(image.id);
    if (others === undefined) mapped.set(image.id, [type]);
    else others.push(type);
  }
  return mapped;
}

function requirementsOf(entries: readonly RequirementEntry[]): Requirements {
  return intersectAll(
    ...entries.map(({ key, operator, values }) => new Map([[key, makeRequirement(operator, values)]])),
  );
}
