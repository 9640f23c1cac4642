import type { KubeRequest, KubeResponse, KubeTransport, KubeWatch } from "../../ports/kube-transport.ts";
import type { ApiRequest, LogAnswer } from "../api/api-request.ts";
import type { Serve } from "../faults/exchange.ts";

/** Talks to the embedded API without a network: the same server behind the same faults, objects instead of bytes. */
export class InProcessTransport implements KubeTransport {
  readonly #serve: Serve;

  constructor(serve: Serve) {
    this.#serve = serve;
  }

  async send(request: KubeRequest): Promise<KubeResponse> {
    const { answer, dropsAfter } = await this.#serve(wire(request));
    if (answer === undefined || dropsAfter !== undefined) throw connectionBroken(request);
    if (answer.kind === "log") return { status: 200, body: wholeLog(answer) };
    if (answer.kind === "watch") throw new Error(`${request.method} ${request.path} answers with a stream; use watch`);
    const retryAfter = answer.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: answer.retryAfterSeconds };
    return { status: answer.status, body: freeze(answer.body), ...retryAfter };
  }

  async watch(request: KubeRequest, watch: KubeWatch): Promise<() => void> {
    const { answer } = await this.#serve(wire(request));
    if (answer === undefined) throw connectionBroken(request);
    if (answer.kind === "watch") {
      return answer.start({ deliver: (event) => watch.onEvent(freeze(event)), end: () => watch.onEnd() });
    }
    if (answer.kind === "log") throw new Error(`${request.path} answers with text, not with events`);
    watch.onRefusal({ status: answer.status, body: freeze(answer.body) });
    return () => {};
  }
}

/** What has been written so far; whoever wants to follow does so over HTTP. */
function wholeLog(answer: LogAnswer): string {
  let text = "";
  const stop = answer.start({
    deliver: (part) => {
      text += part;
    },
    end: () => {},
  });
  stop();
  return text;
}

function wire({ method, path, contentType, accept, body }: KubeRequest): ApiRequest {
  return {
    method,
    target: path,
    headers: {
      accept: accept ?? "application/json",
      ...(contentType === undefined ? {} : { "content-type": contentType }),
    },
    // As text, so that a body means here what it means on the wire.
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** Answers share their objects with the store, so nobody may change them. What is frozen once stays so with all below it. */
function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) freeze(child);
  return Object.freeze(value);
}

function connectionBroken({ method, path }: KubeRequest): Error {
  return new Error(`The connection broke during ${method} ${path}`);
}
