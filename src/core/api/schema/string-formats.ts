import { parseCidr, parseIp } from "./ip-address.ts";

/** Whether the text has the format; formats that are not checked accept everything. */
export function hasFormat(format: string, text: string): boolean {
  const check = checks.get(format.replaceAll("-", ""));
  return check === undefined || check(text);
}

const checks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["bsonobjectid", matcher(/^[0-9a-f]{24}$/i)],
  ["uri", isRequestUri],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", (text) => parseIp(text)?.family === 4 && text.includes(".")],
  ["ipv6", (text) => text.includes(":") && parseIp(text) !== undefined],
  ["cidr", (text) => parseCidr(text) !== undefined],
  ["mac", isMac],
  ["uuid", matcher(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matcher(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matcher(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matcher(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["ssn", matcher(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ["hexcolor", matcher(/^#?([0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ["rgbcolor", isRgbColor],
  ["byte", isBase64],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["k8sshortname", (text) => text.length <= 63 && isDnsName(text) && !text.includes(".")],
  ["k8slongname", (text) => text.length <= 253 && isDnsName(text)],
]);

function matcher(pattern: RegExp): (text: string) => boolean {
  return (text) => text.length <= 100 && pattern.test(text);
}

/** Six, eight or twenty bytes, in pairs or in fours. */
function isMac(text: string): boolean {
  const pairs = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2})*)$/i;
  const fours = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i;
  if (text.length > 59 || !(pairs.test(text) || fours.test(text))) return false;
  return [6, 8, 20].includes(text.replace(/[:.-]/g, "").length / 2);
}

function isDnsName(text: string): boolean {
  return text.split(".").every((part) => /^[a-z0-9-]+$/.test(part) && !part.startsWith("-") && !part.endsWith("-"));
}

/** A URL with a scheme, or a path from the root. */
function isRequestUri(text: string): boolean {
  if (text === "" || /[\p{Cc} ]/u.test(text) || !hasWholeEscapes(text)) return false;
  return text.startsWith("/") || /^[a-z][a-z0-9+.-]*:./i.test(text);
}

function hasWholeEscapes(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}

const atoms = /^[^\s"(),:;<>@[\\\]\p{Cc}]+$/u;

function isEmail(text: string): boolean {
  const address = /^[^<>]*<([^<>]*)>\s*$/.exec(text)?.[1] ?? text.trim();
  const at = address.lastIndexOf("@");
  if (at < 1 || at === address.length - 1) return false;
  const local = address.slice(0, at);
  const isAtoms = atoms.test(local) && !hasEmptyPart(local);
  const domain = address.slice(at + 1);
  return (isAtoms || /^"[^"\\]*"$/.test(local)) && atoms.test(domain) && !hasEmptyPart(domain);
}

function hasEmptyPart(text: string): boolean {
  return text.split(".").includes("");
}

function isHostname(text: string): boolean {
  if (text.length > 255) return false;
  const labels = text.split(".");
  if (labels.some((label) => label.length > 63)) return false;
  const sign = "[a-zA-Z0-9\\p{S}\\p{L}]";
  if (labels.length === 1) return new RegExp(`^${sign}(?:-?${sign}{0,62})?$`, "u").test(text);
  const last = labels.pop() ?? "";
  const isPart = new RegExp(`^${sign}(?:[a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}${sign})?$`, "u");
  return labels.every((label) => isPart.test(label)) && /^[a-zA-Z\p{L}]{2,63}$/u.test(last);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (digit === "X" ? 10 : Number(digit)) * (10 - index),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

function isRgbColor(text: string): boolean {
  if (text.length > 100) return false;
  const parts = /^rgb\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)$/.exec(text);
  return parts?.slice(1).every((part) => (part === "0" || !part.startsWith("0")) && Number(part) <= 255) ?? false;
}

function isBase64(text: string): boolean {
  const body = text.replace(/={1,2}$/, "");
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+$/.test(body);
}

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (monthLengths[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

export function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.toLowerCase().split("t");
  if (!isDate(date)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time);
  return match !== null && (match[1] ?? "") <= "23" && (match[2] ?? "") <= "59" && (match[3] ?? "") <= "59";
}

/** Units as people write them: a name, or anything that begins with the last of its names. */
const spokenUnits: readonly (readonly [names: readonly string[], nanoseconds: bigint])[] = [
  [["ns", "nano"], 1n],
  [["us", "µs", "micro"], 1000n],
  [["ms", "milli"], 1_000_000n],
  [["s", "sec"], 1_000_000_000n],
  [["m", "min"], 60_000_000_000n],
  [["h", "hr", "hour"], 3_600_000_000_000n],
  [["d", "day"], 86_400_000_000_000n],
  [["w", "wk", "week"], 604_800_000_000_000n],
];

function isDuration(text: string): boolean {
  return parseDuration(text) !== undefined;
}

/** Nanoseconds of what Go reads as a duration, or else of every number with a unit that the text has anywhere. */
export function parseDuration(text: string): bigint | undefined {
  const exact = parseGoDuration(text);
  if (exact !== undefined) return exact;
  let total: bigint | undefined;
  for (const [, number = "", unit = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    if (number.length > 19 || BigInt(number) >= 2n ** 63n) return undefined;
    const size = spokenSize(unit.toLowerCase());
    if (size !== undefined) total = BigInt.asIntN(64, (total ?? 0n) + BigInt(number) * size);
  }
  return total;
}

function spokenSize(unit: string): bigint | undefined {
  return spokenUnits.find(([names]) => names.includes(unit) || unit.startsWith(names.at(-1) ?? unit))?.[1];
}

const nanoseconds: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Nanoseconds of `1h30m`, `-1.5s` or `0`; undefined for anything else and for what does not fit into 64 bits. */
function parseGoDuration(text: string): bigint | undefined {
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0n;
  if (text.length > 200 || !/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(unsigned)) return undefined;
  let total = 0n;
  for (const [, number = "", unit = ""] of unsigned.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const [whole = "", fraction = ""] = number.split(".");
    const size = nanoseconds[unit] ?? 0n;
    total += BigInt(whole || "0") * size + (BigInt(fraction || "0") * size) / 10n ** BigInt(fraction.length);
  }
  if (total > (text.startsWith("-") ? 2n ** 63n : 2n ** 63n - 1n)) return undefined;
  return text.startsWith("-") ? -total : total;
}
