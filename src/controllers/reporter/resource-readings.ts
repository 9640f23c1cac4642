/** `ephemeral-storage` as metrics write it; what a vendor's resource is called stays whole. */
export function resourceShown(resource: string): string {
  return resource.toLowerCase().replaceAll("-", "_");
}

/** Processors in cores, everything else as it is. */
export function amountShown(resource: string, amount: number): number {
  return resource === "cpu" ? amount / 1000 : amount;
}
