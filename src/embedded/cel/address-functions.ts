import type { Environment } from "@marcbachmann/cel-js";
import {
  type Cidr,
  containsIp,
  formatIp,
  type IpAddress,
  maskedOf,
  parseCidr,
  parseIp,
} from "../../core/api/schema/ip-address.ts";
import { quote } from "../../core/api/schema/render-value.ts";
import { celError } from "./cel-error.ts";

class Ip {
  readonly address: IpAddress;
  constructor(address: IpAddress) {
    this.address = address;
  }
}

class Network {
  readonly cidr: Cidr;
  constructor(cidr: Cidr) {
    this.cidr = cidr;
  }
}

class Url {
  readonly text: string;
  readonly parsed: URL | undefined;
  constructor(text: string) {
    this.text = text;
    this.parsed = URL.parse(text) ?? undefined;
  }
}

/** The libraries of Kubernetes for addresses: `ip`, `cidr` and `url`. */
export function registerAddressFunctions(environment: Environment): void {
  const sync = { async: false };
  const register = (signature: string, handler: (...values: never[]) => unknown): void => {
    environment.registerFunction(signature, handler as (...values: unknown[]) => unknown, sync);
  };
  environment.registerType("net.IP", { ctor: Ip, fields: {} }).registerType("net.CIDR", { ctor: Network, fields: {} });
  environment.registerType("kubernetes.URL", { ctor: Url, fields: {} });
  environment.registerOperator("net.IP == net.IP", (one: Ip, other: Ip) => areSame(one.address, other.address));
  environment.registerOperator("net.CIDR == net.CIDR", (one: Network, other: Network) => {
    return areSame(one.cidr.address, other.cidr.address) && one.cidr.prefixLength === other.cidr.prefixLength;
  });
  environment.registerOperator("kubernetes.URL == kubernetes.URL", (one: Url, other: Url) => one.text === other.text);
  register("isIP(string): bool", (text: string) => parseIp(text) !== undefined);
  register("ip(string): net.IP", (text: string) => new Ip(required(parseIp(text), "IP Address", text)));
  register("string(net.IP): string", ({ address }: Ip) => formatIp(address));
  register("net.IP.family(): int", ({ address }: Ip) => BigInt(address.family));
  register("net.IP.isUnspecified(): bool", ({ address }: Ip) => address.bits === 0n);
  register("net.IP.isLoopback(): bool", ({ address }: Ip) => isWithin(address, "127.0.0.0/8", "::1/128"));
  register("net.IP.isLinkLocalMulticast(): bool", ({ address }: Ip) => isWithin(address, "224.0.0.0/24", "ff02::/16"));
  register("net.IP.isLinkLocalUnicast(): bool", ({ address }: Ip) => isWithin(address, "169.254.0.0/16", "fe80::/10"));
  register("net.IP.isGlobalUnicast(): bool", ({ address }: Ip) => isGlobal(address));
  register("isCIDR(string): bool", (text: string) => parseCidr(text) !== undefined);
  register("cidr(string): net.CIDR", (text: string) => new Network(required(parseCidr(text), "CIDR", text)));
  register("string(net.CIDR): string", ({ cidr }: Network) => `${formatIp(cidr.address)}/${cidr.prefixLength}`);
  register("net.CIDR.ip(): net.IP", ({ cidr }: Network) => new Ip(cidr.address));
  register("net.CIDR.masked(): net.CIDR", ({ cidr }: Network) => new Network({ ...cidr, address: maskedOf(cidr) }));
  register("net.CIDR.prefixLength(): int", ({ cidr }: Network) => BigInt(cidr.prefixLength));
  register("net.CIDR.containsIP(net.IP): bool", ({ cidr }: Network, { address }: Ip) => containsIp(cidr, address));
  register("net.CIDR.containsIP(string): bool", ({ cidr }: Network, text: string) => {
    return containsIp(cidr, required(parseIp(text), "IP Address", text));
  });
  register("net.CIDR.containsCIDR(net.CIDR): bool", (outer: Network, inner: Network) => holds(outer.cidr, inner.cidr));
  register("net.CIDR.containsCIDR(string): bool", (outer: Network, text: string) => {
    return holds(outer.cidr, required(parseCidr(text), "CIDR", text));
  });
  register("isURL(string): bool", isUrl);
  register(
    "url(string): kubernetes.URL",
    (text: string) => new Url(required(isUrl(text) ? text : undefined, "URL", text)),
  );
  register("kubernetes.URL.getScheme(): string", ({ parsed }: Url) => parsed?.protocol.slice(0, -1) ?? "");
  register("kubernetes.URL.getHost(): string", ({ text }: Url) => authorityOf(text));
  register("kubernetes.URL.getHostname(): string", ({ text }: Url) => {
    return authorityOf(text)
      .replace(/:\d*$/, "")
      .replace(/^\[|\]$/g, "");
  });
  register("kubernetes.URL.getPort(): string", ({ text }: Url) => /:(\d+)$/.exec(authorityOf(text))?.[1] ?? "");
  register("kubernetes.URL.getEscapedPath(): string", ({ text }: Url) => pathOf(text));
  register("kubernetes.URL.getQuery(): map<string, list<string>>", ({ text }: Url) => queryOf(text));
}

function required<T>(value: T | undefined, what: string, text: string): T {
  if (value === undefined) throw celError(parseProblem(what, quote(text)));
  return value;
}

function parseProblem(what: string, text: string): string {
  const problem = "parse error during conversion from string";
  if (what === "URL") return `URL ${problem}: parse ${text}: invalid URI for request`;
  if (what === "CIDR") return `network address ${problem}: netip.ParsePrefix(${text}): no '/'`;
  return `IP Address ${text} ${problem}: ParseAddr(${text}): unable to parse IP`;
}

function areSame(one: IpAddress, other: IpAddress): boolean {
  return one.family === other.family && one.bits === other.bits;
}

function isWithin(address: IpAddress, ...networks: readonly string[]): boolean {
  return networks.map(parseCidr).some((cidr) => cidr !== undefined && containsIp(cidr, address));
}

function isGlobal(address: IpAddress): boolean {
  const special = [
    "127.0.0.0/8",
    "::1/128",
    "224.0.0.0/4",
    "ff00::/8",
    "169.254.0.0/16",
    "fe80::/10",
    "255.255.255.255/32",
  ];
  return address.bits !== 0n && !isWithin(address, ...special);
}

function holds(outer: Cidr, inner: Cidr): boolean {
  return inner.prefixLength >= outer.prefixLength && containsIp(outer, inner.address);
}

/** With a scheme and a host, or a path from the root. */
function isUrl(text: string): boolean {
  if (text.startsWith("/")) return !/%(?![0-9a-f]{2})/i.test(text);
  return /^[a-z][a-z0-9+.-]*:\S*$/i.test(text) && URL.canParse(text);
}

function authorityOf(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(text)?.[1] ?? "";
}

function pathOf(text: string): string {
  return text.replace(/^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]*)?/i, "").replace(/[?#].*$/s, "");
}

function queryOf(text: string): Map<string, string[]> {
  const query = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(/\?([^#]*)/.exec(text)?.[1] ?? "")) {
    query.set(name, [...(query.get(name) ?? []), value]);
  }
  return query;
}
