/** An address as a number; the family tells how many bits it has. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

export interface Cidr {
  readonly address: IpAddress;
  readonly prefixLength: number;
}

/** Reads the notations of the API server: no leading zeros, no zones. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > 45) return undefined;
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

export function parseCidr(text: string): Cidr | undefined {
  const [ip = "", length = "", ...rest] = text.split("/");
  const address = parseIp(ip);
  if (address === undefined || rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const prefixLength = Number(length);
  return prefixLength <= widthOf(address) ? { address, prefixLength } : undefined;
}

function widthOf({ family }: IpAddress): number {
  return family === 4 ? 32 : 128;
}

/** The first address of the network. */
export function maskedOf({ address, prefixLength }: Cidr): IpAddress {
  const hostBits = BigInt(widthOf(address) - prefixLength);
  return { ...address, bits: (address.bits >> hostBits) << hostBits };
}

export function containsIp(cidr: Cidr, ip: IpAddress): boolean {
  if (cidr.address.family !== ip.family) return false;
  const hostBits = BigInt(widthOf(ip) - cidr.prefixLength);
  return cidr.address.bits >> hostBits === ip.bits >> hostBits;
}

/** The shortest notation. */
export function formatIp({ family, bits }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  const zeros = longestZeros(groups);
  if (zeros.length < 2) return groups.join(":");
  return `${groups.slice(0, zeros.start).join(":")}::${groups.slice(zeros.start + zeros.length).join(":")}`;
}

function longestZeros(groups: readonly string[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === "0") end++;
    if (end - start > best.length) best = { start, length: end - start };
  }
  return best;
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) {
    return undefined;
  }
  return { family: 4, bits: parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n) };
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(readGroups);
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const after = tail ?? [];
  const missing = 8 - head.length - after.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array<bigint>(missing).fill(0n), ...after];
  return { family: 6, bits: groups.reduce((bits, group) => (bits << 16n) | group, 0n) };
}

function readGroups(text: string): bigint[] | undefined {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    const ipv4 = index === parts.length - 1 && part.includes(".") ? parseIpv4(part) : undefined;
    if (ipv4 !== undefined) groups.push(ipv4.bits >> 16n, ipv4.bits & 0xffffn);
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}
