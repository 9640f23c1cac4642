import type { KubeRequest, KubeTransport, KubeWatchEvent } from "../../src/ports/kube-transport.ts";
import type { Transcript } from "../contract/transcript.ts";
import type { Transport, WireRequest, WireStream } from "../contract/transport.ts";

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
const knownHeaders = new Set(["accept", "content-type", "content-length", "user-agent"]);

/** Lets contract cases go through a transport of ours; what it is not made for, such as YAML, goes the plain way. */
export function contractTransport(kube: KubeTransport, plain: Transport): Transport & { readonly taken: number } {
  let taken = 0;
  return {
    get taken() {
      return taken;
    },
    async send(wire) {
      const request = kubeRequest(wire);
      if (request === undefined) return await plain.send(wire);
      taken++;
      const { status, body } = await kube.send(request);
      return { status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) };
    },
    async stream(wire) {
      const request = kubeRequest(wire);
      if (request === undefined) return await plain.stream(wire);
      taken++;
      return await stream(kube, request);
    },
    close: () => plain.close(),
  };
}

function kubeRequest({ method, path, headers, body }: WireRequest): KubeRequest | undefined {
  if (!methods.has(method) || Object.keys(headers).some((name) => !knownHeaders.has(name))) return undefined;
  const { accept, "content-type": contentType } = headers;
  const base = {
    method: method as KubeRequest["method"],
    path,
    ...(accept === undefined ? {} : { accept }),
    ...(contentType === undefined ? {} : { contentType }),
  };
  if (body === undefined) return base;
  try {
    const parsed = JSON.parse(body);
    return JSON.stringify(parsed) === body ? { ...base, body: parsed } : undefined;
  } catch {
    return undefined;
  }
}

async function stream(kube: KubeTransport, request: KubeRequest): Promise<WireStream> {
  const lines: string[] = [];
  let isOver = false;
  let status = 200;
  let wake = (): void => {};
  const add = (value: unknown): void => {
    lines.push(JSON.stringify(value));
    wake();
  };
  const end = (): void => {
    isOver = true;
    wake();
  };
  const close = await kube.watch(request, {
    onEvent: (event: KubeWatchEvent) => add(event),
    onRefusal: (response) => {
      status = response.status;
      add(response.body);
      end();
    },
    onEnd: end,
  });
  async function* read(): AsyncGenerator<string> {
    while (!isOver || lines.length > 0) {
      const line = lines.shift();
      if (line !== undefined) yield line;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    status,
    headers: {},
    lines: read(),
    close: () => {
      close();
      end();
    },
  };
}

/** Our transports do not hand on headers. */
export function withoutHeaders(transcript: Transcript): Transcript {
  return transcript.map(({ headers: _, ...step }) => step);
}
