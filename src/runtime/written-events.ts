import type { Clock } from "../ports/clock.ts";
import type { KubeResponse, KubeTransport } from "../ports/kube-transport.ts";
import type { Happening } from "../ports/telemetry.ts";

interface Options {
  readonly transport: Pick<KubeTransport, "send">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly component: string;
}

interface Written {
  readonly name: string;
  readonly writtenAt: number;
  count: number;
}

const mostKept = 4_096;
/** Well within the hour for which an API server keeps events. */
const countedFor = 10 * 60_000;
const longestMessage = 1_024;
const longestName = 253;

/** The Events that are there: what is said again within ten minutes is counted on the first of them. */
export class WrittenEvents {
  readonly #options: Options;
  readonly #written = new Map<string, Written>();

  constructor(options: Options) {
    this.#options = options;
  }

  async write(happening: Happening, at: number): Promise<KubeResponse> {
    const { object, type, reason, message } = happening;
    const key = [object.kind, object.namespace, object.name, object.uid, type, reason, message].join("\u0000");
    const earlier = this.#written.get(key);
    if (earlier !== undefined && at - earlier.writtenAt < countedFor) {
      const counted = await this.#count(happening, earlier, at);
      if (counted.status !== 404) return counted;
    }
    this.#written.delete(key);
    const name = this.#nameFor(object.name, at);
    const response = await this.#create(happening, name, at);
    if (response.status < 300) this.#keep(key, { name, writtenAt: at, count: 1 });
    return response;
  }

  async #count(happening: Happening, earlier: Written, at: number): Promise<KubeResponse> {
    const count = earlier.count + 1;
    const response = await this.#options.transport.send({
      method: "PATCH",
      path: `${eventsPath(happening)}/${earlier.name}`,
      contentType: "application/merge-patch+json",
      body: { count, lastTimestamp: timestamp(at) },
    });
    if (response.status < 300) earlier.count = count;
    return response;
  }

  #create({ object, type, reason, message }: Happening, name: string, at: number): Promise<KubeResponse> {
    const { component } = this.#options;
    const { apiVersion, kind, name: objectName, uid, namespace = "" } = object;
    return this.#options.transport.send({
      method: "POST",
      path: eventsPath({ object }),
      body: {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name, namespace: namespace || "default" },
        involvedObject: { apiVersion, kind, name: objectName, uid, ...(namespace === "" ? {} : { namespace }) },
        type,
        reason,
        message: message.length > longestMessage ? `${message.slice(0, longestMessage - 1)}…` : message,
        count: 1,
        firstTimestamp: timestamp(at),
        lastTimestamp: timestamp(at),
        source: { component },
        reportingComponent: component,
        reportingInstance: "",
      },
    });
  }

  #keep(key: string, written: Written): void {
    this.#written.set(key, written);
    const [oldest] = this.#written.keys();
    if (this.#written.size > mostKept && oldest !== undefined) this.#written.delete(oldest);
  }

  /** The name of the object, then the time in nanoseconds, of which chance makes up the last six digits. */
  #nameFor(objectName: string, at: number): string {
    const nanoseconds = BigInt(Math.trunc(at)) * 1_000_000n + BigInt(Math.floor(this.#options.random() * 1_000_000));
    const suffix = `.${nanoseconds.toString(16)}`;
    return objectName.slice(0, longestName - suffix.length).replace(/[.-]+$/, "") + suffix;
  }
}

/** Events about what is in no namespace are in `default`. */
function eventsPath({ object }: Pick<Happening, "object">): string {
  return `/api/v1/namespaces/${object.namespace || "default"}/events`;
}

/** Whole seconds, as Kubernetes writes them. */
function timestamp(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
