import { stringify } from "yaml";

export interface Access {
  /** As in `https://127.0.0.1:6443`. */
  readonly url: string;
  /** PEM; absent over plain HTTP. */
  readonly certificate?: string;
  readonly token?: string;
}

/** A kubeconfig with all that a client needs to know. */
export function kubeconfigFor({ url, certificate, token }: Access): string {
  const name = "karpenter-embedded";
  const authority =
    certificate === undefined ? {} : { "certificate-authority-data": Buffer.from(certificate).toString("base64") };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: url, ...authority } }],
    users: [{ name: "admin", user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: "admin" } }],
    "current-context": name,
  });
}
