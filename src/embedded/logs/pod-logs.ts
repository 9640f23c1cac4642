import type { Pod } from "kubernetes-types/core/v1.js";
import { badRequest } from "../api/api-error.ts";
import type { LogAnswer } from "../api/api-request.ts";
import type { ObjectApi } from "../api/object-api.ts";
import { LogBuffer } from "./log-buffer.ts";
import { readLogQuery, renderLine, renderLines } from "./log-query.ts";

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
  read(pod: Pod, parameters: URLSearchParams): LogAnswer {
    const name = pod.metadata?.name ?? "";
    const query = readLogQuery(parameters, name, this.#api.clock.now());
    const container = containerOf(pod, query.container);
    if (query.isPrevious) {
      throw badRequest(
        `previous terminated container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} not found`,
      );
    }
    const buffer = this.#sources.find(({ matches }) => matches(pod))?.buffer;
    const text = renderLines(buffer?.lines ?? [], query);
    return {
      kind: "log",
      start: (receiver) => {
        if (text !== "") receiver.deliver(text);
        if (!query.isFollowed || isOver(pod)) {
          receiver.end();
          return () => {};
        }
        const stopFollowing = buffer?.follow((line) => receiver.deliver(renderLine(line, query)));
        const stopWaiting = this.#whenOver(pod, () => {
          stopFollowing?.();
          receiver.end();
        });
        return () => {
          stopFollowing?.();
          stopWaiting();
        };
      },
    };
  }

  #whenOver({ metadata }: Pod, act: () => void): () => void {
    const pods = this.#api.collection(this.#api.registry.builtIn("", "pods"));
    const stop = pods.subscribe(({ type, object }) => {
      if (object.metadata.uid !== metadata?.uid || (type !== "DELETED" && !isOver(object as unknown as Pod))) return;
      stop();
      act();
    });
    return stop;
  }
}

function isOver({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
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
