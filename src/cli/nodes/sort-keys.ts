export const sortKeys = ["pool", "name", "type", "zone", "price", "cpu", "memory", "pods", "age", "state"] as const;
export type SortKey = (typeof sortKeys)[number];
