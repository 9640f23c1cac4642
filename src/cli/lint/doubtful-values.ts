import * as names from "../../adapters/aws/names.ts";
import { loadFallbackPrices } from "../../adapters/aws/pricing/fallback-prices.ts";
import { instanceTypeLabel } from "../../core/model/labels.ts";

/** How many generations may come while somebody uses the list that is built in. */
const ahead = 2;
const family = /^([a-z]+)(\d+)[a-z]*(-[a-z0-9]+)?$/;
const size = /^(nano|micro|small|medium|large|\d*xlarge|metal(-\d+xl)?)$/;

/**
 * Whether a value that no machine of EC2's list has may be one all the same: of a machine that came after the list was
 * made, or that is still paid for and no longer told of.
 */
export function isDoubtful(key: string, value: string, known: ReadonlySet<string>): boolean {
  switch (key) {
    case instanceTypeLabel: {
      const [ofFamily = "", ofSize = "", ...rest] = value.split(".");
      if (rest.length > 0 || !size.test(ofSize)) return false;
      const families = new Set(Array.from(known, (name) => name.split(".")[0] ?? ""));
      return !families.has(ofFamily) && isDoubtful(names.instanceFamilyLabel, ofFamily, families);
    }
    case names.instanceFamilyLabel:
      return isNewer(value, known) || [...loadFallbackPrices("").keys()].some((name) => name.startsWith(`${value}.`));
    case names.instanceGenerationLabel: {
      const newest = Math.max(...Array.from(known, Number));
      return Number(value) > newest && Number(value) <= newest + ahead;
    }
    case names.instanceSizeLabel:
      return size.test(value) && /\d/.test(value);
    default:
      return false;
  }
}

/** Of the newest generation of its letters, or a later one. */
function isNewer(value: string, known: ReadonlySet<string>): boolean {
  const [, letters, generation] = family.exec(value) ?? [];
  if (letters === undefined) return false;
  const generations = Array.from(known, (name) => family.exec(name)).flatMap((match) =>
    match?.[1] === letters ? [Number(match[2])] : [],
  );
  const newest = Math.max(...generations);
  return Number(generation) >= newest && Number(generation) <= newest + ahead;
}
