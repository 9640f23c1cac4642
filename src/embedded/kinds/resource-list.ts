import { parseQuantity } from "../../core/model/quantity.ts";
import { canonicalQuantity } from "../schema/canonical-quantity.ts";

const milli = 10n ** 6n;

/** Lists of resources are kept in thousandths: what is finer is rounded up. */
export function roundResources(resources: object | undefined): void {
  for (const [name, quantity] of Object.entries(resources ?? {})) {
    const text = String(quantity);
    const amount = parseQuantity(text);
    if (amount === undefined || amount % milli === 0n) continue;
    const rounded = amount > 0n ? amount / milli + 1n : amount / milli;
    Object.assign(resources ?? {}, { [name]: canonicalQuantity(`${rounded}m`) ?? text });
  }
}

/** As the server shows a quantity in a message. */
export function showQuantity(quantity: unknown): string {
  return canonicalQuantity(String(quantity)) ?? String(quantity);
}
