import type { Pod } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../core/api/field-error.ts";
import { forbidden, invalid } from "../../core/api/schema/refusals.ts";
import { badRequest, invalid as invalidObject } from "./api-error.ts";
import { readNumber } from "./read-options.ts";

/** Refuses what nobody can mean by how much of a log he wants. */
export function checkLogOptions(query: URLSearchParams, pod: string): void {
  const errors: FieldError[] = [];
  const check = (field: string, least: number): void => {
    const value = readNumber(query.get(field));
    if (value === undefined || value >= least) return;
    errors.push(invalid(field, value, least === 0 ? "must be greater than or equal to 0" : "must be greater than 0"));
  };
  check("tailLines", 0);
  check("limitBytes", 1);
  if (query.has("sinceSeconds") && query.has("sinceTime")) {
    errors.push(forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else check("sinceSeconds", 1);
  if (errors.length > 0) throw invalidObject({ kind: "PodLogOptions", group: "" }, pod, errors);
}

/** The log is that of one container, which must be named where there are several. */
export function checkContainer({ metadata, spec }: Pod, container: string): void {
  const names = (spec?.containers ?? []).map(({ name }) => name);
  const init = (spec?.initContainers ?? []).map(({ name }) => name);
  const others = (spec?.ephemeralContainers ?? []).map(({ name }) => name);
  if (container !== "" && ![...names, ...init, ...others].includes(container)) {
    throw badRequest(`container ${container} is not valid for pod ${metadata?.name}`);
  }
  const chosen = container || (metadata?.annotations?.["kubectl.kubernetes.io/default-container"] ?? "");
  if (chosen !== "" || names.length === 1) return;
  const orInit = init.length === 0 ? "" : ` or one of the init containers: [${init.join(" ")}]`;
  throw badRequest(
    `a container name must be specified for pod ${metadata?.name}, choose one of: [${names.join(" ")}]${orInit}`,
  );
}
