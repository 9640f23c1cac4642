import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HttpKubeTransport, type HttpKubeTransportOptions } from "../../src/adapters/kube/http-kube-transport.ts";
import { loadKubeConfig } from "../../src/adapters/kube/load-kube-config.ts";
import type { ServedCluster } from "../../src/embedded/server/serve-cluster.ts";
import { systemClock } from "../../src/embedded/time/system-clock.ts";

/** Reaches a served cluster as a user would: through its kubeconfig. */
export function connectTo(
  { kubeconfig }: ServedCluster,
  options: Partial<HttpKubeTransportOptions> = {},
): HttpKubeTransport {
  const folder = mkdtempSync(join(tmpdir(), "served-"));
  const file = join(folder, "kubeconfig");
  writeFileSync(file, kubeconfig);
  const access = loadKubeConfig({ env: { KUBECONFIG: file }, homeFolder: folder });
  rmSync(folder, { recursive: true });
  return new HttpKubeTransport({ access, clock: systemClock, userAgent: "karpenter-ts/test", ...options });
}
