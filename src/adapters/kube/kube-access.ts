/** Where a Kubernetes API is, how to know that it is the right one, and who we are to it. */
export interface KubeAccess {
  /** As in `https://10.0.0.1:6443`, perhaps with a path, without a slash at its end. */
  readonly server: string;
  readonly tls: KubeTls;
  readonly credentials: KubeCredentials;
  /** Of the context, or of the pod that we run in. */
  readonly namespace?: string;
}

export interface KubeTls {
  /** PEM; where absent, the authorities that Node trusts count. */
  readonly ca?: string;
  /** The name in the certificate of the server, where it is not that of its address. */
  readonly serverName?: string;
  readonly isUnverified?: boolean;
}

/** What proves to the server who we are. */
export interface KubeCredential {
  /** The whole header. */
  readonly authorization?: string;
  /** PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** Credentials that may change while we run; `now` is in milliseconds since 1970. */
export interface KubeCredentials {
  /** The same object as long as nothing changes. */
  current(now: number): Promise<KubeCredential>;
  /** The server would not have this one; answers whether there is another now. */
  renew(refused: KubeCredential, now: number): Promise<boolean>;
}

export function unchangingCredentials(credential: KubeCredential): KubeCredentials {
  return { current: async () => credential, renew: async () => false };
}
