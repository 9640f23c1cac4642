/** A rule in CEL over the value it stands at, and what whoever broke it should do. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

/** As much of a structural schema as our kinds need. */
export interface Schema {
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "integer" | "boolean";
  readonly format?: "int32" | "int64" | "date-time";
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly "x-kubernetes-int-or-string"?: true;
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly Rule[];
}

/**
 * A text of some grammar. The pattern is for editors and other programs, the rule for people: the API server checks
 * both, and answers with both.
 */
export function textLike(pattern: string, advice: string): Schema {
  return {
    type: "string",
    pattern,
    "x-kubernetes-validations": [{ rule: `self.matches(r'${pattern}')`, message: advice }],
  };
}

/** The same schema with more rules, which come after those it has. */
export function withRules(schema: Schema, rules: readonly Rule[]): Schema {
  return { ...schema, "x-kubernetes-validations": [...(schema["x-kubernetes-validations"] ?? []), ...rules] };
}
