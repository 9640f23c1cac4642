const second = 1000;

/** How long ago, as `kubectl get` shows it: two units at most ("5m3s", "3h12m", "6d", "2y41d"). */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / second);
  // Clocks differ a little: a second in the future is now.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return withRest(`${minutes}m`, seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return withRest(`${hours}h`, minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return withRest(`${days}d`, hours % 24, "h");
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? withRest(`${years}y`, days % 365, "d") : `${years}y`;
}

function withRest(text: string, rest: number, unit: string): string {
  return rest === 0 ? text : `${text}${rest}${unit}`;
}

/** The age of a timestamp; what is absent or unreadable is unknown. */
export function ageOf(timestamp: string | null | undefined, now: number): string {
  const then = Date.parse(timestamp ?? "");
  return Number.isNaN(then) ? "<unknown>" : humanDuration(now - then);
}
