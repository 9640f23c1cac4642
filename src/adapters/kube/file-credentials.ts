import type { KubeCredential, KubeCredentials } from "./kube-access.ts";

/** How soon a change of the files is noticed. */
const checkEveryMs = 60_000;

/** Credentials in files that somebody renews; `read` throws where they are not as they should be. */
export class FileCredentials implements KubeCredentials {
  readonly #read: () => KubeCredential;
  #credential: KubeCredential;
  #readAt = Number.NEGATIVE_INFINITY;

  /** Throws what `read` throws. */
  constructor(read: () => KubeCredential) {
    this.#read = read;
    this.#credential = read();
  }

  async current(now: number): Promise<KubeCredential> {
    // A clock that was set back must not make us wait for it.
    if (Math.abs(now - this.#readAt) >= checkEveryMs) this.#readAgain(now);
    return this.#credential;
  }

  async renew(refused: KubeCredential, now: number): Promise<boolean> {
    this.#readAgain(now);
    return this.#credential !== refused;
  }

  #readAgain(now: number): void {
    this.#readAt = now;
    let read: KubeCredential;
    try {
      read = this.#read();
    } catch {
      // Somebody may be in the middle of replacing the files. The old ones go on until the server says no.
      return;
    }
    if (!isSameCredential(read, this.#credential)) this.#credential = read;
  }
}

export function isSameCredential(left: KubeCredential, right: KubeCredential): boolean {
  return left.authorization === right.authorization && isSameCertificate(left.certificate, right.certificate);
}

export function isSameCertificate(left: KubeCredential["certificate"], right: KubeCredential["certificate"]): boolean {
  return left === right || (left?.cert === right?.cert && left?.key === right?.key);
}
