import type { HostPort } from "../model/pod.ts";
import type { Field } from "./field.ts";

const protocols = ["TCP", "UDP", "SCTP"] as const;

/**
 * The ports that the pod's containers take on their host, as long as it runs: init containers do only as sidecars. On
 * the host's network every container port is one of them.
 */
export function readHostPorts(spec: Field): HostPort[] {
  const usesHostNetwork = spec.at("hostNetwork").flag();
  const sidecars = spec
    .at("initContainers")
    .items()
    .filter((container) => container.at("restartPolicy").text() === "Always");
  return [...sidecars, ...spec.at("containers").items()]
    .flatMap((container) => container.at("ports").items())
    .flatMap((item) => readHostPort(item, usesHostNetwork) ?? []);
}

function readHostPort(item: Field, usesHostNetwork: boolean): HostPort | undefined {
  const hostPort = item.at("hostPort").integer(0, 65_535) ?? 0;
  const containerPort = usesHostNetwork ? (item.at("containerPort").integer(0, 65_535) ?? 0) : 0;
  const port = hostPort === 0 ? containerPort : hostPort;
  if (port === 0) return undefined;
  const ip = item.at("hostIP").text() ?? "";
  return { ip: ip === "" ? "0.0.0.0" : ip, port, protocol: item.at("protocol").choice(protocols) ?? "TCP" };
}
