import type * as ec2 from "@aws-sdk/client-ec2";
import type { Clock } from "../../../ports/clock.ts";
import { NotLeadingError } from "../../../runtime/kube-client.ts";
import { pause } from "../../../runtime/pause.ts";
import type { Ec2Api } from "../api/aws-api.ts";
import { errorCodeOf, isAnswer, isServerFault, isThrottled } from "../api/aws-error.ts";

export interface FleetSender {
  readonly ec2: Pick<Ec2Api, "createFleet">;
  readonly clock: Clock;
  readonly random: () => number;
  /** Asked before each call: whoever leads next buys for the same claims. */
  readonly isLeading: () => boolean;
  /** Aborted when this process ends to lead, which nobody waits for in vain. */
  readonly ended: AbortSignal;
}

export type FleetReply =
  | { readonly kind: "answered"; readonly output: ec2.CreateFleetCommandOutput }
  /** Nothing was launched. */
  | { readonly kind: "refused"; readonly error: unknown }
  /** There may be machines now. To be sent again unless AWS would say the same, which says nothing of them. */
  | { readonly kind: "unknown"; readonly error: unknown; readonly canRepeat: boolean };

const mostTries = 5;
const firstPause = 300;

/**
 * Sends a request with a token as often as it takes to get an answer, but not for ever: AWS carries it out once, and
 * answers all that are alike with the same machines. Rejects when it must not be sent any more.
 */
export async function sendFleet(
  { ec2, clock, random, isLeading, ended }: FleetSender,
  input: ec2.CreateFleetCommandInput,
  wasSent: boolean,
): Promise<FleetReply> {
  let isInDoubt = wasSent;
  for (let tries = 1; ; tries++) {
    if (!isLeading()) throw new NotLeadingError("ec2:CreateFleet");
    try {
      return { kind: "answered", output: await ec2.createFleet(input) };
    } catch (error) {
      // What answers the last attempt of the SDK may not be what became of the first.
      isInDoubt ||= !isRefusal(error) || attemptsOf(error) > 1;
      const isFinal = isAnswer(error) && !isServerFault(error) && !isThrottled(error);
      if (isFinal || isBeforeSending(error) || tries === mostTries) {
        return isInDoubt ? { kind: "unknown", error, canRepeat: !isFinal } : { kind: "refused", error };
      }
    }
    await pause(clock, firstPause * 2 ** (tries - 1) * (0.5 + random() / 2), ended);
  }
}

/** Whether nothing was launched. A token that AWS knows with other words was carried out. */
function isRefusal(error: unknown): boolean {
  if (errorCodeOf(error) === "IdempotentParameterMismatch") return false;
  return isThrottled(error) || (isAnswer(error) && !isServerFault(error)) || isBeforeSending(error);
}

function attemptsOf(error: unknown): number {
  return (error as { readonly $metadata?: { readonly attempts?: number } } | null)?.$metadata?.attempts ?? 1;
}

function isBeforeSending(error: unknown): boolean {
  return (error as { readonly name?: unknown } | null)?.name === "CredentialsProviderError";
}
