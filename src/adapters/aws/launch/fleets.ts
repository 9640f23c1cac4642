import { Batcher, type BatchOutcome } from "../batching/batcher.ts";
import type { Machine } from "../instances/machine.ts";
import { cutIntoLots } from "./claim-tags.ts";
import type { OfferingFailure } from "./fold-failures.ts";
import { type FleetRequest, Lot, type LotOptions } from "./lot.ts";

export interface FleetAnswer {
  readonly machine: Machine | undefined;
  readonly failures: readonly OfferingFailure[];
}

/** Buys machines, those that are alike together. */
export function openFleets(options: LotOptions): Batcher<FleetRequest, FleetAnswer> {
  return new Batcher({
    name: "create_fleet",
    clock: options.clock,
    metrics: options.telemetry.metrics,
    idleMilliseconds: 35,
    mostMilliseconds: 1000,
    mostItems: 1000,
    // All are made in the same way, so that what is alike is written alike.
    keyOf: ({ input, tags, machineTags }) => JSON.stringify([input, [...tags], [...machineTags]]),
    execute: async (requests) => {
      const [first] = requests;
      const otherTags = first === undefined ? 0 : first.tags.size + first.machineTags.size;
      const lots = cutIntoLots(requests, otherTags);
      return (await Promise.all(lots.map((lot) => buyLot(options, lot)))).flat();
    },
  });
}

async function buyLot(
  options: LotOptions,
  [first, ...others]: readonly FleetRequest[],
): Promise<readonly BatchOutcome<FleetAnswer>[]> {
  if (first === undefined) return [];
  const lot = new Lot(options, [first, ...others]);
  try {
    const failures = await lot.send();
    const { assigned } = options.orders;
    return lot.claimNames.map((name) => ({ ok: true, answer: { machine: assigned.get(name), failures } }));
  } catch (error) {
    return lot.claimNames.map(() => ({ ok: false, error }));
  }
}
