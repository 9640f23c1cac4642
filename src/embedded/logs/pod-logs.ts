import type { Pod } from "kubernetes-types/core/v1.js";
import { badRequest } from "../api/api-error.ts";
import type { LogAnswer } from "../api/api-request.ts";
import type { ObjectApi } from "../api/object-api.ts";
import { LogBuffer, type LogLine } from "./log-buffer.ts";

/** What the containers of pods write. Nothing runs in them, so somebody has to say what it is; the others write nothing. */
export class PodLogs {
  readonly #api: ObjectApi;
  readonly #sources: { readonly matches: (pod: Pod) => boolean; readonly buffer: LogBuffer }[] = [];

  constructor(api: ObjectApi) {
    this.#api = api;
  }

  /** From now on, what is written to the buffer is the log of these pods: of the controller's own pod, for instance. */
  attach(matches: (pod: Pod) => boolean): LogBuffer {
    const buffer = new LogBuffer(this.#api.clock);
    this.#sources.push({ matches, buffer });
    return buffer;
  }

  /** Answers `kubectl logs`. */
  read(pod: Pod, query: URLSearchParams): LogAnswer {
    const container = containerOf(pod, query.get("container") ?? "");
    const name = pod.metadata?.name ?? "";
    if (query.get("previous") === "true") {
      throw badRequest(
        `previous terminated container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} not found`,
      );
    }
    const buffer = this.#sources.find(({ matches }) => matches(pod))?.buffer;
    const lines = chosen(buffer?.lines ?? [], query, this.#api.clock.now());
    const render = ({ at, text }: LogLine): string =>
      query.get("timestamps") === "true" ? `${new Date(at).toISOString()} ${text}\n` : `${text}\n`;
    return {
      kind: "log",
      start: (receiver) => {
        for (const line of lines) receiver.deliver(render(line));
        if (query.get("follow") === "true") {
          const stopFollowing = buffer?.follow((line) => receiver.deliver(render(line)));
          const stopWaiting = this.#whenGone(pod, () => {
            stopFollowing?.();
            receiver.end();
          });
          return () => {
            stopFollowing?.();
            stopWaiting();
          };
        }
        receiver.end();
        return () => {};
      },
    };
  }

  #whenGone({ metadata }: Pod, act: () => void): () => void {
    const definition = this.#api.registry.find("", "v1", "pods");
    if (definition === undefined) throw new Error("The API serves no pods");
    const stop = this.#api.collection(definition).subscribe(({ type, object }) => {
      if (type !== "DELETED" || object.metadata.uid !== metadata?.uid) return;
      stop();
      act();
    });
    return stop;
  }
}

function containerOf({ metadata, spec }: Pod, wanted: string): string {
  const name = metadata?.name ?? "";
  const containers = (spec?.containers ?? []).map((container) => container.name);
  const all = [...containers, ...(spec?.initContainers ?? []).map((container) => container.name)];
  if (wanted !== "") {
    if (all.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  if (containers.length === 1) return containers[0] ?? "";
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${containers.join(" ")}]`);
}

/** The lines that a query asks for. */
function chosen(lines: readonly LogLine[], query: URLSearchParams, now: number): readonly LogLine[] {
  const sinceSeconds = query.get("sinceSeconds");
  const sinceTime = query.get("sinceTime");
  const since =
    sinceSeconds !== null ? now - Number(sinceSeconds) * 1000 : sinceTime !== null ? Date.parse(sinceTime) : 0;
  const recent = lines.filter(({ at }) => at >= since);
  const tailLines = query.get("tailLines");
  return tailLines === null ? recent : tailLines === "0" ? [] : recent.slice(-Number(tailLines));
}
