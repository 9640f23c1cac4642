import type { Resources } from "../../core/model/resources.ts";
import type { Sample } from "../../ports/telemetry.ts";

/** What there is of each resource, with labels that all of them have. */
export function* resourceSamples<Labels extends { resource_type: string } | Readonly<Record<string, string>>>(
  resources: Resources,
  common: Partial<Labels>,
): Generator<Sample<Labels>> {
  for (const [resource, amount] of resources) {
    // Processors in cores, everything else as it is.
    const value = resource === "cpu" ? amount / 1000 : amount;
    yield { common, labels: { resource_type: resourceShown(resource) } as Partial<Labels>, value };
  }
}

/** `ephemeral-storage` as metrics write it; what a vendor's resource is called stays whole. */
export function resourceShown(resource: string): string {
  return resource.toLowerCase().replaceAll("-", "_");
}
