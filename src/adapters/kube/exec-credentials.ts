import type { ExecPlugin } from "./exec-plugin.ts";
import { isSameCredential } from "./file-credentials.ts";
import type { KubeCredential, KubeCredentials } from "./kube-access.ts";
import { type IssuedCredential, runExecPlugin } from "./run-exec-plugin.ts";

/** A server that refuses everything must not make us run the program for each request. */
const leastBetweenRenewalsMs = 10_000;

/** Asks a program for credentials, and again when they expire or the server would not have them. */
export class ExecCredentials implements KubeCredentials {
  readonly #plugin: ExecPlugin;
  /** What holds besides what the program says. */
  readonly #fixed: KubeCredential;
  #issued: IssuedCredential | undefined;
  #running: Promise<IssuedCredential> | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(plugin: ExecPlugin, fixed: KubeCredential) {
    this.#plugin = plugin;
    this.#fixed = fixed;
  }

  async current(now: number): Promise<KubeCredential> {
    const issued = this.#issued;
    if (issued !== undefined && (issued.expiresAt === undefined || now < issued.expiresAt)) return issued.credential;
    return (await this.#run()).credential;
  }

  async renew(refused: KubeCredential, now: number): Promise<boolean> {
    if (this.#issued?.credential === refused && Math.abs(now - this.#renewedAt) >= leastBetweenRenewalsMs) {
      this.#renewedAt = now;
      await this.#run();
    } else {
      await this.#running;
    }
    return this.#issued !== undefined && this.#issued.credential !== refused;
  }

  /** All who ask meanwhile get the same answer. */
  #run(): Promise<IssuedCredential> {
    this.#running ??= runExecPlugin(this.#plugin)
      .then(({ credential, ...expiry }) => {
        const whole = { ...this.#fixed, ...credential };
        const former = this.#issued?.credential;
        const isSame = former !== undefined && isSameCredential(former, whole);
        this.#issued = { credential: isSame ? former : whole, ...expiry };
        return this.#issued;
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }
}
