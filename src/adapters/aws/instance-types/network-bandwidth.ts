import type { NetworkInfo } from "@aws-sdk/client-ec2";

/** As in "Up to 12.5 Gigabit" and "4x 100 Gigabit"; anything else, such as "High", is no number. */
const performance = /^(?:Up to )?(?:(\d+)x ?)?(\d+(?:\.\d+)?) (Gigabit|Terabit)$/;

/**
 * What the machine always gets, in megabits a second; undefined where EC2 names no number. The cards of some machines
 * have more together than the machine as a whole.
 */
export function networkBandwidthOf({ NetworkCards = [], NetworkPerformance = "" }: NetworkInfo): number | undefined {
  const match = performance.exec(NetworkPerformance);
  if (match === null) return undefined;
  const [, times = "1", amount = "0", unit] = match;
  const most = Number(times) * Number(amount) * (unit === "Terabit" ? 1e6 : 1e3);
  let baseline = 0;
  for (const { BaselineBandwidthInGbps = 0 } of NetworkCards) baseline += BaselineBandwidthInGbps * 1e3;
  return Math.round(baseline > 0 ? Math.min(baseline, most) : most);
}
