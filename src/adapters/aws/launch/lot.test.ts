import assert from "node:assert/strict";
import { test } from "node:test";
import { hurriedClock } from "../../../../test/support/hurried-clock.ts";
import { type FleetRequest, Lot, type LotOptions, UnknownPurchaseError } from "./lot.ts";

const templateIsGone = Object.assign(new Error("no such template"), {
  Code: "InvalidLaunchTemplateName.NotFoundException",
  $metadata: { httpStatusCode: 400, attempts: 1 },
});

test("what is refused only after a call without an answer stays in doubt, and nobody buys anew at once", async () => {
  assert.deepEqual(await send([new Error("socket hang up"), templateIsGone]), {
    error: "unknown",
    inDoubt: ["one", "other"],
  });
});

test("what is refused at once was not bought, and is told as it is", async () => {
  assert.deepEqual(await send([templateIsGone]), { error: templateIsGone, inDoubt: [] });
});

/** How a lot of two claims ends when AWS answers so. */
async function send(answers: readonly Error[]): Promise<{ error: unknown; inDoubt: readonly string[] }> {
  const inDoubt: string[] = [];
  let calls = 0;
  const options = {
    ec2: { createFleet: async () => Promise.reject(answers[Math.min(calls++, answers.length - 1)]) },
    clock: hurriedClock,
    random: () => 0.5,
    isLeading: () => true,
    ended: new AbortController().signal,
    orders: { doubt: (names: readonly string[]) => void inDoubt.push(...names) },
  } as unknown as LotOptions;
  const request = { input: {}, tags: new Map(), machineTags: new Map() } as unknown as FleetRequest;
  const lot = new Lot(options, [
    { ...request, claimName: "one" },
    { ...request, claimName: "other" },
  ]);
  const error: unknown = await lot.send().catch((failure: unknown) => failure);
  return { error: error instanceof UnknownPurchaseError ? "unknown" : error, inDoubt };
}
