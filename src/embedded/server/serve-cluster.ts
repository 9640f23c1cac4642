import { randomBytes } from "node:crypto";
import type { EmbeddedCluster } from "../cluster.ts";
import { startHttpServer } from "./http-server.ts";
import { kubeconfigFor } from "./kubeconfig.ts";
import { createServerCertificate } from "./server-certificate.ts";

export interface ServedCluster {
  readonly url: string;
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Serves the cluster on the loopback interface, by default over HTTPS to whoever has the token of the kubeconfig. */
export async function serveCluster(
  cluster: EmbeddedCluster,
  options: { port?: number; isPlain?: boolean } = {},
): Promise<ServedCluster> {
  const { port = 0, isPlain = false } = options;
  const { serve } = cluster;
  if (isPlain) {
    const server = await startHttpServer({ serve, port });
    return { url: server.url, kubeconfig: kubeconfigFor(server), close: server.close };
  }
  const { key, certificate } = await createServerCertificate(Date.now());
  const token = randomBytes(24).toString("base64url");
  const server = await startHttpServer({ serve, port, security: { key, certificate, token } });
  return { url: server.url, kubeconfig: kubeconfigFor({ url: server.url, certificate, token }), close: server.close };
}
