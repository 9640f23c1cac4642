import type { ConfigSection } from "./config-section.ts";
import type { KubeTls } from "./kube-access.ts";
import { readPem } from "./read-pem.ts";

export interface KubeCluster {
  readonly server: string;
  readonly tls: KubeTls;
  /** What the cluster tells exec plugins about itself. */
  readonly execConfig?: unknown;
}

const authorityField = "certificate-authority";
const unverifiedField = "insecure-skip-tls-verify";
const known = [
  "server",
  "tls-server-name",
  unverifiedField,
  authorityField,
  `${authorityField}-data`,
  // Answers are never compressed for us, and it only speaks of that.
  "disable-compression",
  "extensions",
];

export function clusterOf(section: ConfigSection): KubeCluster {
  if (section.has("proxy-url")) {
    throw section.mistake("proxy-url", "is not supported; reach the server without a proxy, and remove it");
  }
  section.allowOnly(known);
  const ca = readPem(section, authorityField, "certificate");
  const serverName = section.text("tls-server-name");
  const isUnverified = section.flag(unverifiedField);
  if (isUnverified && ca !== undefined) {
    throw section.mistake(unverifiedField, `contradicts ${authorityField}; remove one of them`);
  }
  const extension = section
    .sections("extensions")
    .find((entry) => entry.text("name") === "client.authentication.k8s.io/exec");
  return {
    server: serverOf(section),
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(serverName === undefined ? {} : { serverName }),
      ...(isUnverified ? { isUnverified } : {}),
    },
    ...(extension === undefined ? {} : { execConfig: extension.value("extension") }),
  };
}

function serverOf(section: ConfigSection): string {
  const text = section.neededText("server");
  // As kubectl does for addresses without a scheme.
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw section.mistake("server", 'is no address; write it as in "https://10.0.0.1:6443"');
  }
  if (url.username !== "" || url.password !== "") {
    throw section.mistake("server", "holds a name or password; move it to the user");
  }
  if (url.search !== "" || url.hash !== "") throw section.mistake("server", "ends in a query; remove that");
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
