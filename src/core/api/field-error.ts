/** The ways in which an API server refuses a field. */
export type FieldErrorType =
  | "required"
  | "invalid"
  | "typeInvalid"
  | "notSupported"
  | "duplicate"
  | "forbidden"
  | "tooLong"
  | "tooMany"
  | "notFound";

/** One refused field, in the terms of the Kubernetes API. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** As in `spec.containers[0].image`. */
  readonly field: string;
  /** What was found there, already rendered as the API server renders it (`"abc"`, `5`, `{"a":1}`); absent where the message shows none. */
  readonly value?: string;
  readonly detail: string;
}

const words: Readonly<Record<FieldErrorType, { readonly reason: string; readonly title: string }>> = {
  required: { reason: "FieldValueRequired", title: "Required value" },
  invalid: { reason: "FieldValueInvalid", title: "Invalid value" },
  typeInvalid: { reason: "FieldValueTypeInvalid", title: "Invalid value" },
  notSupported: { reason: "FieldValueNotSupported", title: "Unsupported value" },
  duplicate: { reason: "FieldValueDuplicate", title: "Duplicate value" },
  forbidden: { reason: "FieldValueForbidden", title: "Forbidden" },
  tooLong: { reason: "FieldValueTooLong", title: "Too long" },
  tooMany: { reason: "FieldValueTooMany", title: "Too many" },
  notFound: { reason: "FieldValueNotFound", title: "Not found" },
};

/** The `reason` of a cause in the details of a Status. */
export function reasonOf({ type }: FieldError): string {
  return words[type].reason;
}

/** Without the field, as in `Invalid value: "x": must be a number`. */
export function describeWithoutField({ type, value, detail }: FieldError): string {
  return [words[type].title, ...(value === undefined ? [] : [value]), ...(detail === "" ? [] : [detail])].join(": ");
}

export function describeFieldError(error: FieldError): string {
  return error.field === "" ? describeWithoutField(error) : `${error.field}: ${describeWithoutField(error)}`;
}
