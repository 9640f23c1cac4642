import { applyLimitRanges, type ContainerDefaults } from "./apply-limit-ranges.ts";
import { isRecord, nameObject, openObject } from "./field.ts";
import type { Read } from "./problem.ts";

/** What the API server adds to pods of a namespace at admission, apart from webhooks. */
export interface AdmissionDefaults {
  readonly limitRanges: readonly ContainerDefaults[];
  /** By name. */
  readonly priorityClasses: ReadonlyMap<string, PriorityClass>;
  readonly runtimeClasses: ReadonlyMap<string, RuntimeClass>;
}

export interface PriorityClass {
  readonly value: number;
  readonly isDefault: boolean;
}

/** What a runtime class adds to a pod, as on the wire. */
export interface RuntimeClass {
  readonly overhead: unknown;
  readonly nodeSelector: unknown;
  readonly tolerations: unknown;
}

export function readPriorityClass(wire: unknown): Read<PriorityClass> {
  const priorityClass = openObject(wire, nameObject(wire, "PriorityClass"));
  return priorityClass.log.conclude({
    value: priorityClass.at("value").integer(-(2 ** 31), 2 ** 31 - 1) ?? 0,
    isDefault: priorityClass.at("globalDefault").flag(),
  });
}

export function readRuntimeClass(wire: unknown): Read<RuntimeClass> {
  const runtimeClass = openObject(wire, nameObject(wire, "RuntimeClass"));
  const scheduling = runtimeClass.at("scheduling");
  return runtimeClass.log.conclude({
    overhead: runtimeClass.at("overhead").at("podFixed").value,
    nodeSelector: scheduling.at("nodeSelector").value,
    tolerations: scheduling.at("tolerations").value,
  });
}

/** The spec of a template as the API server's own admission leaves it in pods. */
export function admitTemplate(
  spec: unknown,
  { limitRanges, priorityClasses, runtimeClasses }: AdmissionDefaults,
): unknown {
  if (!isRecord(spec)) return spec;
  const runtimeClass =
    typeof spec.runtimeClassName === "string" ? runtimeClasses.get(spec.runtimeClassName) : undefined;
  const priority = [...priorityClasses].find(([name, { isDefault }]) =>
    spec.priorityClassName === undefined || spec.priorityClassName === "" ? isDefault : name === spec.priorityClassName,
  );
  const overhead = runtimeClass?.overhead === undefined ? {} : { overhead: runtimeClass.overhead };
  const [tolerations, added] = [listOf(spec.tolerations), listOf(runtimeClass?.tolerations)];
  return {
    ...spec,
    ...overhead,
    ...(priority === undefined ? {} : { priority: priority[1].value, priorityClassName: priority[0] }),
    ...(isRecord(runtimeClass?.nodeSelector)
      ? { nodeSelector: { ...(isRecord(spec.nodeSelector) ? spec.nodeSelector : {}), ...runtimeClass.nodeSelector } }
      : {}),
    ...(added.length > 0 ? { tolerations: [...tolerations, ...added] } : {}),
    ...withLimitRanges(spec, limitRanges),
  };
}

function withLimitRanges(spec: Readonly<Record<string, unknown>>, limitRanges: readonly ContainerDefaults[]): object {
  const { containers, initContainers } = applyLimitRanges(spec, limitRanges) as Readonly<Record<string, unknown>>;
  return { containers, ...(initContainers === undefined ? {} : { initContainers }) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
