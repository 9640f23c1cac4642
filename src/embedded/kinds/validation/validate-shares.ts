import type { FieldError } from "../../../core/api/field-error.ts";
import { checkNotNegative, invalid, invalidForEach } from "../refusals.ts";
import { percentProblems } from "../value-rules.ts";

/** A count of pods, or a share of them as in `25%`. */
export function checkShare(share: number | string, field: string): FieldError[] {
  if (typeof share === "number") return checkNotNegative(field, share);
  return invalidForEach(field, share, percentProblems(share));
}

export function checkPercentage(share: number | string, field: string): FieldError[] {
  const isTooMuch = typeof share === "string" && percentProblems(share).length === 0 && shareOf(share) > 100;
  return isTooMuch ? [invalid(field, share, "must not be greater than 100%")] : [];
}

/** The number in it, whatever it counts; a text that is no percentage is read as a number, or is 0. */
export function shareOf(share: number | string): number {
  if (typeof share === "number") return share;
  return Number(/^(\d+)%$/.exec(share)?.[1] ?? /^[+-]?\d+$/.exec(share)?.[0] ?? 0);
}
