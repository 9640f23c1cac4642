import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { createInterface } from "node:readline";
import type { KubeRequest, KubeTransport, KubeWatchEvent } from "../../src/ports/kube-transport.ts";

export interface Endpoint {
  readonly url: string;
  readonly ca: string;
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The plainest client over HTTPS, so that what is measured is the server. */
export function httpsTransport(endpoint: Endpoint, connections: number): KubeTransport {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    async send(request) {
      const response = await open(endpoint, request, agent);
      let text = "";
      response.setEncoding("utf8");
      for await (const chunk of response) text += chunk;
      return { status: response.statusCode ?? 0, body: JSON.parse(text) };
    },
    async watch(request, watch) {
      const response = await open(endpoint, request, new Agent());
      createInterface({ input: response }).on("line", (line) => watch.onEvent(JSON.parse(line) as KubeWatchEvent));
      return () => void response.destroy();
    },
  };
}

function open({ url, token, ...credentials }: Endpoint, request: KubeRequest, agent: Agent): Promise<IncomingMessage> {
  const { method, path, contentType, body } = request;
  return new Promise((resolve, reject) => {
    const headers = {
      accept: "application/json",
      ...(contentType === undefined ? {} : { "content-type": contentType }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const outgoing = httpsRequest(`${url}${path}`, { ...credentials, method, headers, agent }, resolve);
    outgoing.on("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
