/** A count that may be given as a share of a total. */
export function scaledValue(value: number | string | undefined, total: number, round: "up" | "down"): number {
  if (value === undefined) return 0;
  if (typeof value === "number") return value;
  const share = (Number.parseInt(value, 10) * total) / 100;
  return round === "up" ? Math.ceil(share) : Math.floor(share);
}
