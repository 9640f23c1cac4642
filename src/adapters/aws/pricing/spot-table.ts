import type { SpotPrice } from "@aws-sdk/client-ec2";
import { isTypeName, readPrice } from "./read-price.ts";

/** A region has a handful of zones; more than this many names are not zones of it. */
const mostZones = 64;

/** What machines cost on the spot market, by type and zone: one number each. */
export class SpotTable {
  readonly #rows = new Map<string, number>();
  readonly #columns = new Map<string, number>();
  /** Row by row; NaN where nobody knows. */
  #prices = new Float64Array();
  /** How many columns a row has room for. */
  #width = 0;
  /** How many prices are known. */
  size = 0;

  get(instanceType: string, zone: string): number | undefined {
    const row = this.#rows.get(instanceType);
    const column = this.#columns.get(zone);
    if (row === undefined || column === undefined) return undefined;
    const price = this.#prices[row * this.#width + column];
    return price === undefined || Number.isNaN(price) ? undefined : price;
  }

  /** Whether that is news. */
  set(instanceType: string, zone: string, price: number): boolean {
    const row = indexOf(this.#rows, instanceType);
    const column = indexOf(this.#columns, zone);
    this.#makeRoom(row, column);
    const place = row * this.#width + column;
    const before = this.#prices[place];
    if (before === price) return false;
    if (Number.isNaN(before)) this.size++;
    this.#prices[place] = price;
    return true;
  }

  *entries(): Iterable<readonly [instanceType: string, zone: string, price: number]> {
    for (const instanceType of this.#rows.keys()) {
      for (const zone of this.#columns.keys()) {
        const price = this.get(instanceType, zone);
        if (price !== undefined) yield [instanceType, zone, price];
      }
    }
  }

  /** Whether there is room for one more zone, or it is known already. */
  takes(zone: string): boolean {
    return this.#columns.size < mostZones || this.#columns.has(zone);
  }

  #makeRoom(row: number, column: number): void {
    const rows = this.#width === 0 ? 0 : this.#prices.length / this.#width;
    if (row < rows && column < this.#width) return;
    const width = column < this.#width ? this.#width : Math.max(4, column + 1);
    const height = row < rows ? rows : Math.max(64, row + 1 + (row >> 2));
    const prices = new Float64Array(width * height).fill(Number.NaN);
    for (let each = 0; each < rows; each++)
      prices.set(this.#prices.subarray(each * this.#width, (each + 1) * this.#width), each * width);
    this.#prices = prices;
    this.#width = width;
  }
}

function indexOf(indices: Map<string, number>, name: string): number {
  const known = indices.get(name);
  if (known !== undefined) return known;
  // A copy: the text at hand may be a part of a whole answer, which would stay in memory with it.
  indices.set(Buffer.from(name).toString(), indices.size);
  return indices.size - 1;
}

/** Reads a page of the history into the table, later records over earlier ones; how many could not be read. */
export function foldSpotHistory(table: SpotTable, page: readonly SpotPrice[]): number {
  let skipped = 0;
  for (const { InstanceType, AvailabilityZone, SpotPrice, Timestamp } of page) {
    const price = readPrice(SpotPrice);
    const isUsable =
      price !== undefined && isTypeName(InstanceType) && isZone(AvailabilityZone) && Timestamp !== undefined;
    if (isUsable && table.takes(AvailabilityZone)) table.set(InstanceType, AvailabilityZone, price);
    else skipped++;
  }
  return skipped;
}

function isZone(text: unknown): text is string {
  return typeof text === "string" && /^[a-z0-9-]{1,64}$/.test(text);
}
