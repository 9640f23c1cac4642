import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from "kubernetes-types/apiextensions/v1.js";

/** The status that a definition comes to among the others, once its names are judged; `now` as in `2024-01-31T12:00:00Z`. */
export function statusOfDefinition(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  now: string,
): CustomResourceDefinitionStatus {
  const judged = judgeNames(definition, others);
  const isEstablished = findCondition(definition, "Established")?.status === "True";
  const named = withCondition(definition.status?.conditions ?? [], judged.condition, now);
  const conditions =
    isEstablished || judged.condition.status === "True"
      ? withCondition(named, established, now)
      : withCondition(named, notAccepted, now);
  return {
    ...definition.status,
    acceptedNames: judged.names,
    conditions,
    storedVersions: definition.status?.storedVersions ?? [],
  };
}

const established: CustomResourceDefinitionCondition = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};

const notAccepted: CustomResourceDefinitionCondition = {
  type: "Established",
  status: "False",
  reason: "NotAccepted",
  message: "not all names are accepted",
};

interface JudgedNames {
  readonly names: CustomResourceDefinitionNames;
  readonly condition: CustomResourceDefinitionCondition;
}

/** Names of one group are given to who came first; each is accepted or refused for itself. */
function judgeNames(definition: CustomResourceDefinition, others: readonly CustomResourceDefinition[]): JudgedNames {
  const taken = others.filter(
    (other) => other.spec.group === definition.spec.group && nameOf(other) !== nameOf(definition),
  );
  const accepted = taken.flatMap((other) => other.status?.acceptedNames ?? []);
  const resources = new Set(
    accepted.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular, ...shortNames]),
  );
  const kinds = new Set(accepted.flatMap(({ kind, listKind }) => [kind, listKind]));
  const requested = definition.spec.names;
  const names: CustomResourceDefinitionNames = { ...(definition.status?.acceptedNames ?? { plural: "", kind: "" }) };
  let conflict: { reason: string; message: string } | undefined;
  const judge = (
    reason: string,
    values: readonly string[],
    used: ReadonlySet<string | undefined>,
    accept: () => void,
  ): void => {
    const clashes = values.filter((value) => used.has(value)).map((value) => `"${value}" is already in use`);
    if (clashes.length === 0) accept();
    else conflict = { reason, message: clashes.length === 1 ? (clashes[0] ?? "") : `[${clashes.join(", ")}]` };
  };
  judge("PluralConflict", [requested.plural], resources, () => (names.plural = requested.plural));
  judge("SingularConflict", textsOf(requested.singular), resources, () =>
    assign(names, "singular", requested.singular),
  );
  judge("ShortNamesConflict", requested.shortNames ?? [], resources, () =>
    assign(names, "shortNames", requested.shortNames),
  );
  judge("KindConflict", [requested.kind], kinds, () => (names.kind = requested.kind));
  judge("ListKindConflict", textsOf(requested.listKind), kinds, () => assign(names, "listKind", requested.listKind));
  assign(names, "categories", requested.categories);
  const condition =
    conflict === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", ...conflict };
  return { names, condition };
}

function assign<Name extends keyof CustomResourceDefinitionNames>(
  names: CustomResourceDefinitionNames,
  name: Name,
  value: CustomResourceDefinitionNames[Name] | undefined,
): void {
  if (value === undefined) delete names[name];
  else names[name] = value;
}

function textsOf(text: string | undefined): string[] {
  return text === undefined ? [] : [text];
}

function nameOf({ metadata }: CustomResourceDefinition): string {
  return metadata?.name ?? "";
}

function findCondition(
  { status }: CustomResourceDefinition,
  type: string,
): CustomResourceDefinitionCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** The time of a transition stays while the status stays. */
function withCondition(
  conditions: readonly CustomResourceDefinitionCondition[],
  condition: CustomResourceDefinitionCondition,
  now: string,
): CustomResourceDefinitionCondition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  if (before === undefined) return [...conditions, { lastTransitionTime: now, ...condition }];
  const isSame = before.status === condition.status && before.lastTransitionTime !== undefined;
  const after = { lastTransitionTime: isSame ? (before.lastTransitionTime ?? now) : now, ...condition };
  return conditions.map((each) => (each.type === condition.type ? after : each));
}
