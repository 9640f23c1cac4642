import type { Service } from "kubernetes-types/core/v1.js";
import { ageColumn, cellOf, nameColumn, textColumn, wideColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import { formatLabels } from "./label-text.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { prepareServiceCreate, prepareServiceUpdate, setServiceDefaults } from "./service-defaults.ts";
import { warnAboutService } from "./service-warnings.ts";
import { validateService, validateServiceUpdate } from "./validation/validate-service.ts";

export const serviceResource: ResourceDefinition = defineResource({
  group: "",
  kind: "Service",
  plural: "services",
  returnsDeletedObject: true,
  shortNames: ["svc"],
  categories: ["all"],
  hasStatus: true,
  canCreateByUpdate: true,
  nameRule: "label",
  columns: [
    nameColumn,
    textColumn(
      "Type",
      "How the service is reached.",
      cellOf(({ spec }: Service) => spec?.type ?? ""),
    ),
    textColumn(
      "Cluster-IP",
      "Address inside the cluster.",
      cellOf(({ spec }: Service) => spec?.clusterIPs?.[0] ?? "<none>"),
    ),
    textColumn("External-IP", "Addresses outside the cluster.", cellOf(externalAddressOf)),
    textColumn("Port(s)", "Ports, with those on nodes.", cellOf(portsOf)),
    ageColumn,
    wideColumn(
      "Selector",
      "Which pods serve it.",
      cellOf(({ spec }: Service) => formatLabels(spec?.selector)),
    ),
  ],
  selectableFields: (object) => {
    const { spec } = object as unknown as Service;
    return { "spec.clusterIP": spec?.clusterIP ?? "", "spec.type": spec?.type ?? "" };
  },
  setDefaults: setServiceDefaults,
  prepareCreate: prepareServiceCreate,
  prepareUpdate: prepareServiceUpdate,
  warn: warnAboutService,
  validate: validateService,
  validateUpdate: validateServiceUpdate,
});

function externalAddressOf(service: Service): string {
  const { type, externalIPs = [], externalName = "" } = service.spec ?? {};
  if (type === "ExternalName") return externalName;
  if (type === "LoadBalancer") {
    const ingress = (service.status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
    const addresses = [...new Set(ingress.filter((address) => address !== ""))].sort().concat(externalIPs);
    return addresses.length === 0 ? "<pending>" : addresses.join(",");
  }
  return externalIPs.length === 0 ? "<none>" : externalIPs.join(",");
}

function portsOf({ spec }: Service): string {
  const ports = (spec?.ports ?? []).map(({ port, nodePort = 0, protocol = "" }) =>
    nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return ports.length === 0 ? "<none>" : ports.join(",");
}
