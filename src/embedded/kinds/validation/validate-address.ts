import { isIP } from "node:net";
import type { FieldError } from "../../../core/api/field-error.ts";
import { invalid } from "../refusals.ts";

export function validateAddress(address: string, field: string): FieldError[] {
  const plain = withoutLeadingZeros(address);
  if (!isAddress(plain)) {
    return [invalid(field, address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
  }
  if (plain !== address) return [invalid(field, address, "must not have leading 0s")];
  return isMapped(address) ? [invalid(field, address, "must not be an IPv4-mapped IPv6 address")] : [];
}

export function validateCidr(cidr: string, field: string): FieldError[] {
  const [address = "", length = "", ...rest] = cidr.split("/");
  const plain = withoutLeadingZeros(address);
  const bits = plain.includes(":") ? 128 : 32;
  if (rest.length > 0 || !isAddress(plain) || !/^\d+$/.test(length) || Number(length) > bits) {
    return [invalid(field, cidr, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")];
  }
  if (plain !== address || String(Number(length)) !== length) {
    return [invalid(field, cidr, "must not have leading 0s in IP or prefix length")];
  }
  if (isMapped(address)) return [invalid(field, cidr, "must not have an IPv4-mapped IPv6 address")];
  const hostMask = (1n << BigInt(bits - Number(length))) - 1n;
  return (numberOf(address) & hostMask) === 0n
    ? []
    : [invalid(field, cidr, "must not have bits set beyond the prefix length")];
}

/** Says how an address would better be written. */
export function warnAboutAddress(address: string, field: string): string[] {
  if (isIP(address) !== 6 || canonical(address) === address) return [];
  return [
    `${field}: IPv6 address ${JSON.stringify(address)} should be in RFC 5952 canonical format ("${canonical(address)}")`,
  ];
}

export function warnAboutCidr(cidr: string, field: string): string[] {
  const [address = "", length = ""] = cidr.split("/");
  if (isIP(address) !== 6 || canonical(address) === address) return [];
  const better = `${canonical(address)}/${length}`;
  return [`${field}: IPv6 CIDR value ${JSON.stringify(cidr)} should be in RFC 5952 canonical format ("${better}")`];
}

function withoutLeadingZeros(address: string): string {
  return address.includes(":") ? address : address.replace(/(^|\.)0+(?=\d)/g, "$1");
}

function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%");
}

function isMapped(address: string): boolean {
  return address.includes(":") && /^::ffff:[0-9a-f]+:[0-9a-f]+$/.test(canonical(address));
}

/** An IPv6 address the way that URLs show it, which is that of RFC 5952. */
function canonical(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function numberOf(address: string): bigint {
  if (!address.includes(":")) return joinNumbers(address.split(".").map(Number), 8n);
  const [head = [], tail = []] = canonical(address).split("::").map(wordsOf);
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return joinNumbers([...head, ...gap, ...tail], 16n);
}

function wordsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((word) => Number.parseInt(word, 16));
}

function joinNumbers(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((sum, part) => (sum << bits) | BigInt(part), 0n);
}
