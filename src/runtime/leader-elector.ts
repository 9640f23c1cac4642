import type { Clock, Timer } from "../ports/clock.ts";
import type { KubeTransport } from "../ports/kube-transport.ts";
import type { Log } from "../ports/telemetry.ts";
import { KubeClient, orThrow, unless } from "./kube-client.ts";
import type { KubeObject } from "./kube-object.ts";
import { leases } from "./resources.ts";

export interface LeaderElectorOptions {
  /** One that nothing else slows down. */
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Unlike anybody else's, this process before a restart included. */
  readonly identity: string;
  readonly onElected: () => void;
  /** Must keep from writing from the moment it is called. */
  readonly onLost: () => void;
}

const leaseSeconds = 15;
const renewDeadline = 10_000;
const retryPeriod = 2_000;

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/**
 * Competes for a lease, and keeps it. Whether another's lease has run out is told by this clock alone, from when the
 * lease was last seen to change, because clocks of different machines differ. Whoever cannot renew in time steps down
 * before the others may take over, and competes again.
 */
export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #kube: KubeClient;
  #isLeader = false;
  #isStopped = false;
  #seen: { readonly version: string; readonly at: number } | undefined;
  #timer: Timer | undefined;
  #deadline: Timer | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#kube = new KubeClient({ transport: options.transport });
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  start(): void {
    this.#schedule(0);
  }

  /** Gives the lease back, so that the next one need not wait for it to run out. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#turn;
    if (!this.#isLeader) return;
    this.#stepDown("stopping");
    try {
      await this.#release();
    } catch (error) {
      this.#options.log.error("could not give the lease back; it runs out by itself", { error });
    }
  }

  #schedule(delay: number): void {
    if (this.#isStopped) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(delay, () => {
      this.#turn = this.#try();
    });
  }

  async #try(): Promise<void> {
    const { clock, log, lease } = this.#options;
    const started = clock.now();
    try {
      if (await this.#acquireOrRenew(started)) this.#hold(started);
      else if (this.#isLeader) this.#stepDown("somebody else holds the lease");
    } catch (error) {
      log.error("cannot reach the lease", { Lease: lease, error });
    }
    // Everybody at the same moment would only get in each other's way.
    this.#schedule(retryPeriod * (this.#isLeader ? 1 : 1 + this.#options.random() * 0.2));
  }

  #hold(since: number): void {
    const { clock, log, lease, identity, onElected } = this.#options;
    // An answer that took so long says nothing about now.
    if (clock.now() - since >= renewDeadline) return;
    if (!this.#isLeader && this.#isStopped) return;
    // Each renewal sets it anew, so when it comes there was none. Whoever compared times then could miss it: timers of
    // machines may come a millisecond early.
    this.#deadline?.cancel();
    this.#deadline = clock.after(Math.max(0, since + renewDeadline - clock.now()), () =>
      this.#stepDown(`the lease could not be renewed for ${renewDeadline / 1000} s`),
    );
    if (this.#isLeader) return;
    this.#isLeader = true;
    log.info("successfully acquired lease", { Lease: lease, identity });
    onElected();
  }

  #stepDown(reason: string): void {
    const { log, lease, onLost } = this.#options;
    this.#isLeader = false;
    this.#deadline?.cancel();
    log.info("stopped leading", { Lease: lease, reason });
    onLost();
  }

  async #acquireOrRenew(now: number): Promise<boolean> {
    const { lease, identity } = this.#options;
    const found = unless([404], await this.#kube.get(leases, lease), "read the lease");
    if (found === undefined) return this.#create(now);
    const spec = specOf(found);
    if (spec.holderIdentity !== identity && !this.#hasRunOut(found, spec, now)) return false;
    const isRenewal = spec.holderIdentity === identity;
    return this.#write(found, {
      holderIdentity: identity,
      leaseDurationSeconds: leaseSeconds,
      acquireTime: isRenewal ? (spec.acquireTime ?? microTime(now)) : microTime(now),
      renewTime: microTime(now),
      leaseTransitions: (spec.leaseTransitions ?? 0) + (isRenewal ? 0 : 1),
    });
  }

  #hasRunOut(found: KubeObject, spec: LeaseSpec, now: number): boolean {
    if ((spec.holderIdentity ?? "") === "") return true;
    const version = found.metadata.resourceVersion ?? "";
    if (this.#seen?.version !== version) this.#seen = { version, at: now };
    return now - this.#seen.at >= (spec.leaseDurationSeconds ?? leaseSeconds) * 1000;
  }

  async #create(now: number): Promise<boolean> {
    const { lease, identity } = this.#options;
    const time = microTime(now);
    const spec: LeaseSpec = {
      holderIdentity: identity,
      leaseDurationSeconds: leaseSeconds,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    };
    const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: lease, spec };
    return unless([409], await this.#kube.create(leases, body, lease.namespace), "create the lease") !== undefined;
  }

  async #write(found: KubeObject, spec: LeaseSpec): Promise<boolean> {
    const { resourceVersion } = found.metadata;
    const answer = await this.#kube.patch(leases, this.#options.lease, {
      body: { metadata: { resourceVersion }, spec },
    });
    // Somebody wrote in between; who holds the lease is seen at the next try, well before it runs out.
    orThrow(answer, "write the lease");
    return true;
  }

  async #release(): Promise<void> {
    const { lease, identity } = this.#options;
    const found = orThrow(await this.#kube.get(leases, lease), "read the lease");
    if (specOf(found).holderIdentity === identity)
      await this.#write(found, { holderIdentity: "", leaseDurationSeconds: 1 });
  }
}

function specOf({ spec }: KubeObject): LeaseSpec {
  return typeof spec === "object" && spec !== null ? spec : {};
}

/** Leases are written to the microsecond. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace("Z", "000Z");
}
