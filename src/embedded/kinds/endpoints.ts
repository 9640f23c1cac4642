import type { Endpoints } from "kubernetes-types/core/v1.js";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.js";
import { ageColumn, cellOf, nameColumn, textColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

export const endpointsResource: ResourceDefinition = defineResource({
  group: "",
  kind: "Endpoints",
  plural: "endpoints",
  shortNames: ["ep"],
  canCreateByUpdate: true,
  warn: () => ["v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
  columns: [nameColumn, textColumn("Endpoints", "Where the service is served.", cellOf(addressesOf)), ageColumn],
  setDefaults: (draft) => {
    for (const { ports } of (draft as unknown as Endpoints).subsets ?? []) {
      for (const port of ports ?? []) port.protocol ||= "TCP";
    }
  },
});

export const endpointSliceResource: ResourceDefinition = defineResource({
  group: "discovery.k8s.io",
  kind: "EndpointSlice",
  plural: "endpointslices",
  hasGeneration: true,
  columns: [
    nameColumn,
    textColumn(
      "AddressType",
      "What sort of addresses these are.",
      cellOf(({ addressType }: EndpointSlice) => addressType ?? ""),
    ),
    textColumn(
      "Ports",
      "Ports of all addresses.",
      cellOf(
        ({ ports }: EndpointSlice) =>
          shorten((ports ?? []).map(({ port, name }) => String(port ?? name ?? "*"))) || "<unset>",
      ),
    ),
    textColumn(
      "Endpoints",
      "The addresses.",
      cellOf(
        ({ endpoints }: EndpointSlice) =>
          shorten((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])) || "<unset>",
      ),
    ),
    ageColumn,
  ],
  setDefaults: (draft) => {
    for (const port of (draft as unknown as EndpointSlice).ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
});

function addressesOf({ subsets }: Endpoints): string {
  if ((subsets ?? []).length === 0) return "<none>";
  const all = (subsets ?? []).flatMap(({ addresses = [], ports = [] }) => {
    const ips = addresses.map(({ ip = "" }) => ip);
    return ports.length === 0 ? ips : ports.flatMap(({ port }) => ips.map((ip) => joinHostPort(ip, port)));
  });
  return shorten(all);
}

function joinHostPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

const mostShown = 3;

function shorten(list: readonly string[]): string {
  const shown = list.slice(0, mostShown).join(",");
  return list.length > mostShown ? `${shown} + ${list.length - mostShown} more...` : shown;
}
