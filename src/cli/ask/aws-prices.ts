import type { AwsApi } from "../../adapters/aws/api/aws-api.ts";
import { errorCodeOf, isCredentialFailure, isWithoutCredentials, messageOf } from "../../adapters/aws/api/aws-error.ts";
import { type Market, PriceBook } from "../../adapters/aws/pricing/price-book.ts";
import type { Clock } from "../../ports/clock.ts";
import { silence } from "./silence.ts";
import { within } from "./within.ts";

/** What AWS itself asks in a region, as far as it told. */
export interface RegionPrices {
  onDemand(instanceType: string): number | undefined;
  spot(instanceType: string, zone: string): number | undefined;
  /** Why there is nothing of a market, one sentence each. */
  readonly why: readonly string[];
}

/** The price list of a region takes some seconds. */
const patience = 30_000;

/** Asks AWS with whatever credentials there are. Never rejects. */
export async function askAws(api: AwsApi, markets: ReadonlySet<Market>, clock: Clock): Promise<RegionPrices> {
  const book = new PriceBook({ api, settings: { isolatedVpc: false }, clock, log: silence });
  const answers = await Promise.allSettled([...markets].map((market) => within(patience, book.refresh(market))));
  const why = answers.flatMap((answer) => (answer.status === "rejected" ? [describeFailure(answer.reason)] : []));
  return {
    // Before AWS has told, a book has those of another region.
    onDemand: (type) => (book.refreshedAt("on-demand") === undefined ? undefined : book.onDemand(type)),
    spot: (type, zone) => (book.refreshedAt("spot") === undefined ? undefined : book.spot(type, zone)),
    why: [...new Set(why)],
  };
}

function describeFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (isWithoutCredentials(cause)) return "there are no AWS credentials here: log in, or set AWS_PROFILE";
  if (isCredentialFailure(cause)) return `AWS does not take your credentials (${errorCodeOf(cause)}): log in again`;
  const action = /AWS refuses (\S+):/.exec(messageOf(error))?.[1];
  if (action !== undefined) return `AWS does not allow you ${action}`;
  return `AWS gives no answer: ${messageOf(error)}`;
}
