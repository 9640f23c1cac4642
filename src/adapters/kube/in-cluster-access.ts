import { existsSync, readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { KubeConfigError } from "./config-section.ts";
import { FileCredentials } from "./file-credentials.ts";
import { isToken } from "./is-token.ts";
import type { KubeAccess } from "./kube-access.ts";
import { isPem } from "./read-pem.ts";

/** As the service account of the pod that we run in; nothing outside of one. */
export function inClusterAccess(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): KubeAccess | undefined {
  const host = env.KUBERNETES_SERVICE_HOST ?? "";
  const port = env.KUBERNETES_SERVICE_PORT ?? "";
  const tokenFile = join(folder, "token");
  if (host === "" || port === "" || !existsSync(tokenFile)) return undefined;
  const caFile = join(folder, "ca.crt");
  const ca = readMounted(caFile);
  if (!isPem(ca, "certificate")) throw new KubeConfigError(`${caFile}: holds no certificate; mount it again`);
  const namespaceFile = join(folder, "namespace");
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    tls: { ca },
    credentials: new FileCredentials(() => {
      const token = readMounted(tokenFile).trim();
      if (!isToken(token))
        throw new KubeConfigError(`${tokenFile}: holds no token; mount the token of the service account again`);
      return { authorization: `Bearer ${token}` };
    }),
    ...(existsSync(namespaceFile) ? { namespace: readMounted(namespaceFile).trim() } : {}),
  };
}

function readMounted(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new KubeConfigError(
      `${file}: cannot be read (${code}); is automountServiceAccountToken of the pod or its service account off?`,
    );
  }
}
