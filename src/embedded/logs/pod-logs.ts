import type { Pod } from "kubernetes-types/core/v1.js";
import { badRequest } from "../api/api-error.ts";
import type { LogAnswer } from "../api/api-request.ts";
import type { ObjectApi } from "../api/object-api.ts";
import type { LogOptions } from "../api/read-log-options.ts";
import { isPodFinished } from "../pod-state.ts";
import { LogBuffer } from "./log-buffer.ts";
import { renderLine, renderLines } from "./render-log.ts";

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
  read(pod: Pod, options: LogOptions): LogAnswer {
    if (options.isPrevious) {
      const [container, name] = [options.container, pod.metadata?.name].map((word) => JSON.stringify(word));
      throw badRequest(`previous terminated container ${container} in pod ${name} not found`);
    }
    const buffer = this.#sources.find(({ matches }) => matches(pod))?.buffer;
    const text = renderLines(buffer?.lines ?? [], options);
    return {
      kind: "log",
      start: (receiver) => {
        if (text !== "") receiver.deliver(text);
        if (!options.isFollowed || isPodFinished(pod)) {
          receiver.end();
          return () => {};
        }
        const stopFollowing = buffer?.follow((line) => receiver.deliver(renderLine(line, options)));
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
      if (object.metadata.uid !== metadata?.uid || (type !== "DELETED" && !isPodFinished(object as unknown as Pod)))
        return;
      stop();
      act();
    });
    return stop;
  }
}
