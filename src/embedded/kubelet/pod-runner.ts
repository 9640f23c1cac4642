import type { Pod, PodStatus } from "kubernetes-types/core/v1.js";
import type { ControlLoop } from "../control-loop.ts";
import { isPodFinished } from "../pod-state.ts";
import { keyOf } from "../storage/collection.ts";
import { timestamp } from "../timestamp.ts";
import type { Resource, Stored } from "../workloads/resource.ts";
import { controlLoop, type WorkloadContext } from "../workloads/workload-context.ts";
import type { Rejection } from "./admit-pod.ts";
import type { NodeAgent } from "./node-agent.ts";
import { PodLife, planOf } from "./pod-plan.ts";
import { statusIn } from "./pod-status.ts";

export interface RunnerParts {
  readonly pods: Resource<Pod>;
  readonly agentOf: (node: string) => NodeAgent | undefined;
  readonly isHeld: (pod: Pod) => boolean;
}

/** What the kubelet remembers of a pod. */
interface Taken {
  readonly uid: string;
  readonly agent: NodeAgent;
  readonly podIp: string;
  life: PodLife | undefined;
  /** When the pod will have ended, once it is being deleted. */
  killAt: number | undefined;
}

const source = "kubelet";
const rejectionMilliseconds = 1000;

/** Runs pods where they are bound, from admission to the end. */
export class PodRunner {
  readonly #context: WorkloadContext;
  readonly #parts: RunnerParts;
  readonly #taken = new Map<string, Taken>();
  readonly #refusedSince = new Map<string, number>();
  readonly #loop: ControlLoop;
  readonly #unsubscribe: () => void;
  #addresses = 0;

  constructor(context: WorkloadContext, parts: RunnerParts) {
    this.#context = context;
    this.#parts = parts;
    this.#loop = controlLoop(context, "kubelet, pod", (key) => this.#reconcile(key));
    this.#unsubscribe = parts.pods.subscribe(({ object }) => {
      if (object.spec?.nodeName) this.#loop.enqueue(keyOf(object));
    });
  }

  stop(): void {
    this.#unsubscribe();
    this.#loop.stop();
  }

  lookAt(key: string): void {
    this.#loop.enqueue(key);
  }

  #reconcile(key: string): void {
    const pod = this.#parts.pods.find(key);
    const agent = this.#parts.agentOf(pod?.spec?.nodeName ?? "");
    const taken = this.#taken.get(key);
    if (taken !== undefined && (taken.uid !== pod?.metadata.uid || taken.agent !== agent)) this.#release(key, taken);
    if (pod === undefined) this.#refusedSince.delete(key);
    if (pod === undefined || agent?.isAlive !== true) return;
    if (isPodFinished(pod)) {
      const finished = this.#taken.get(key);
      if (finished !== undefined) this.#release(key, finished);
      if (pod.metadata.deletionTimestamp !== undefined && !this.#parts.isHeld(pod)) this.#delete(pod);
    } else if (pod.metadata.deletionTimestamp !== undefined) this.#end(key, pod);
    else this.#run(key, this.#taken.get(key) ?? this.#take(key, { pod, agent }));
  }

  #release(key: string, { agent, uid }: Taken): void {
    this.#taken.delete(key);
    agent.held.release(uid);
  }

  #take(key: string, { pod, agent }: { pod: Stored<Pod>; agent: NodeAgent }): Taken | undefined {
    const { node } = agent;
    if (node === undefined) return undefined;
    const { uid } = pod.metadata;
    const rejection = agent.held.admit(uid, pod, node);
    if (rejection !== undefined) {
      this.#rejectLater(key, pod, rejection);
      return undefined;
    }
    this.#refusedSince.delete(key);
    const podIp = pod.status?.podIP ?? (pod.spec?.hostNetwork === true ? agent.hostIp : this.#nextAddress());
    const taken: Taken = { uid, agent, podIp, life: undefined, killAt: undefined };
    this.#taken.set(key, taken);
    return taken;
  }

  /** Not at once: who makes another pod in its place must not get to do so without end in one moment. */
  #rejectLater(key: string, pod: Stored<Pod>, { reason, message }: Rejection): void {
    const { clock, recordEvent } = this.#context;
    const since = this.#refusedSince.get(key) ?? clock.now();
    this.#refusedSince.set(key, since);
    const wait = since + rejectionMilliseconds - clock.now();
    if (wait > 0) {
      this.#loop.enqueue(key, wait);
      return;
    }
    this.#refusedSince.delete(key);
    const status = { ...pod.status, phase: "Failed", reason, message, startTime: timestamp(clock.now()) };
    this.#parts.pods.writeStatus(pod, status);
    const text = message.replace("Pod was rejected: ", "");
    recordEvent({ about: pod, type: "Warning", reason, message: text, source, host: pod.spec?.nodeName ?? "" });
  }

  #run(key: string, taken: Taken | undefined): void {
    const pod = this.#parts.pods.find(key);
    if (taken === undefined || pod === undefined) return;
    const now = this.#context.clock.now();
    const { agent, podIp } = taken;
    if (this.#failLate(key, pod, now)) return;
    const canStart = agent.isReady || pod.status?.phase === "Running";
    if (taken.life === undefined && canStart) taken.life = new PodLife(pod, now);
    const life = taken.life ?? new PodLife(pod, now);
    const { stage, nextAt } =
      taken.life === undefined ? { stage: { kind: "creating" } as const, nextAt: undefined } : life.at(now);
    const status = statusIn(pod, stage, { hostIp: agent.hostIp, podIp, now, life });
    const wasRunning = pod.status?.phase === "Running";
    this.#parts.pods.writeStatus(pod, status);
    if (stage.kind === "running" && !wasRunning) this.#sayStarted(pod);
    if (nextAt !== undefined) this.#loop.enqueue(key, Math.max(0, nextAt - now));
  }

  /** A pod may say how long it is allowed to be active. */
  #failLate(key: string, pod: Stored<Pod>, now: number): boolean {
    const seconds = pod.spec?.activeDeadlineSeconds;
    if (seconds === undefined || pod.status?.startTime === undefined) return false;
    const wait = Date.parse(pod.status.startTime) + seconds * 1000 - now;
    if (wait > 0) {
      this.#loop.enqueue(key, wait);
      return false;
    }
    const message = "Pod was active on the node longer than the specified deadline";
    this.#finish(pod, { reason: "DeadlineExceeded", message, exitCode: 137 });
    return true;
  }

  #sayStarted(pod: Stored<Pod>): void {
    const host = pod.spec?.nodeName ?? "";
    for (const { name } of pod.spec?.containers ?? []) {
      const fieldPath = `spec.containers{${name}}`;
      const message = "Container started";
      this.#context.recordEvent({ about: pod, type: "Normal", reason: "Started", message, source, host, fieldPath });
    }
  }

  /** Ends a pod that is being deleted, within its grace period. */
  #end(key: string, pod: Stored<Pod>): void {
    if (this.#parts.isHeld(pod)) return;
    const now = this.#context.clock.now();
    const taken = this.#taken.get(key);
    const hasStarted = pod.status?.phase === "Running" || (taken?.life !== undefined && taken.life.runAt <= now);
    if (taken !== undefined && hasStarted) {
      if (taken.killAt === undefined) this.#sayKilling(pod);
      const grace = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
      const latest = now + Math.min(planOf(pod).terminationMilliseconds, grace);
      taken.killAt = Math.min(taken.killAt ?? latest, latest);
      if (taken.killAt > now) {
        this.#loop.enqueue(key, taken.killAt - now);
        return;
      }
    }
    // Somebody waits for more than the end of the containers, and wants to know how they ended.
    if ((pod.metadata.finalizers ?? []).length > 0) this.#finish(pod, { exitCode: 137 });
    this.#delete(pod);
  }

  #finish(pod: Stored<Pod>, ending: { exitCode: number; reason?: string; message?: string }): void {
    const { exitCode, ...why } = ending;
    const now = this.#context.clock.now();
    const taken = this.#taken.get(keyOf(pod));
    const life = taken?.life ?? new PodLife(pod, now);
    const run = { exitCode, startedAt: Math.min(life.runAt, now), finishedAt: now };
    const hostIp = pod.status?.hostIP ?? taken?.agent.hostIp ?? "";
    const place = { hostIp, podIp: taken?.podIp ?? pod.status?.podIP ?? hostIp, now, life };
    const status: PodStatus = { ...statusIn(pod, { kind: "finished", run }, place), ...why };
    this.#parts.pods.writeStatus(pod, status);
  }

  #sayKilling(pod: Stored<Pod>): void {
    const host = pod.spec?.nodeName ?? "";
    for (const { name } of pod.spec?.containers ?? []) {
      const fieldPath = `spec.containers{${name}}`;
      const message = `Stopping container ${name}`;
      this.#context.recordEvent({ about: pod, type: "Normal", reason: "Killing", message, source, host, fieldPath });
    }
  }

  #delete(pod: Stored<Pod>): void {
    this.#parts.pods.delete(pod, { gracePeriodSeconds: 0 });
  }

  #nextAddress(): string {
    const number = this.#addresses++;
    return `10.${64 + (Math.floor(number / 62_500) % 64)}.${Math.floor(number / 250) % 250}.${(number % 250) + 1}`;
  }
}
