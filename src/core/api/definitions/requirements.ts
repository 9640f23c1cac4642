import { claimKeyRules, poolKeyRules, qualifiedName } from "./label-grammar.ts";
import { type Rule, type Schema, withRules } from "./schema.ts";

const inNeedsValues = needsValues("In");
const notInNeedsValues = needsValues("NotIn");

const numbersNeedOne: Rule = {
  rule: "self.all(entry, !(entry.operator in ['Gt', 'Lt', 'Gte', 'Lte']) || (has(entry.values) && entry.values.size() == 1 && int(entry.values[0]) >= 0))",
  message: "operators Gt, Lt, Gte and Lte compare numbers: give exactly one value, a whole number from 0",
};

const minValuesNeedsValues: Rule = {
  rule: "self.all(entry, entry.operator != 'In' || !has(entry.minValues) || !has(entry.values) || entry.values.size() >= entry.minValues)",
  message: "operator In with minValues needs at least that many values: list more values or lower minValues",
};

const minValues: Schema = {
  type: "integer",
  minimum: 1,
  maximum: 50,
  description:
    "The least number of different values that the machines to choose from must have for this key, so that a launch does not depend on a few of them. Alpha: this field may change.",
};

export const poolRequirements = requirements({
  keyRules: poolKeyRules,
  more: { minValues },
  rules: [inNeedsValues, numbersNeedOne, minValuesNeedsValues],
  description: "What the labels of the nodes may be, besides what the node class offers and pods ask for.",
});

export const claimRequirements = requirements({
  keyRules: claimKeyRules,
  more: { minValues },
  rules: [inNeedsValues, numbersNeedOne, minValuesNeedsValues],
  description: "What the labels of the node may be. The cloud chooses among all machines that fit.",
});

export const overlayRequirements = requirements({
  keyRules: claimKeyRules,
  more: {},
  rules: [inNeedsValues, notInNeedsValues, numbersNeedOne],
  description:
    "Which machines the overlay is about: those whose labels fit, labels that a NodePool adds and karpenter.sh/nodepool included.",
});

interface RequirementList {
  readonly keyRules: readonly Rule[];
  readonly more: Readonly<Record<string, Schema>>;
  readonly rules: readonly Rule[];
  readonly description: string;
}

function requirements({ keyRules, more, rules, description }: RequirementList): Schema {
  const entry: Schema = {
    type: "object",
    description: "One label and what it may be.",
    required: ["key", "operator"],
    properties: {
      key: { ...withRules(qualifiedName, keyRules), maxLength: 316, description: "The key of the label." },
      ...more,
      operator: {
        type: "string",
        enum: ["Gte", "Lte", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"],
        description: "How the label relates to the values.",
      },
      values: {
        type: "array",
        items: { type: "string" },
        "x-kubernetes-list-type": "atomic",
        description:
          "At least one for In, some for NotIn, none for Exists and DoesNotExist, and one whole number for Gt, Lt, Gte and Lte.",
      },
    },
  };
  return {
    type: "array",
    description,
    maxItems: 100,
    items: entry,
    "x-kubernetes-list-type": "atomic",
    "x-kubernetes-validations": rules,
  };
}

function needsValues(operator: "In" | "NotIn"): Rule {
  return {
    rule: `self.all(entry, entry.operator != '${operator}' || (has(entry.values) && entry.values.size() != 0))`,
    message: `operator ${operator} needs values: list at least one, or use Exists or DoesNotExist`,
  };
}
