import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import type { KubeRequest, KubeTransport, KubeWatchEvent } from "../../src/ports/kube-transport.ts";

/** The plainest client over HTTP, so that what is measured is the server. */
export function httpTransport(url: string, connections: number): KubeTransport {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    async send(request) {
      const response = await open(url, request, agent);
      let text = "";
      response.setEncoding("utf8");
      for await (const chunk of response) text += chunk;
      return { status: response.statusCode ?? 0, body: JSON.parse(text) };
    },
    async watch(request, watch) {
      const response = await open(url, request, new Agent());
      createInterface({ input: response }).on("line", (line) => watch.onEvent(JSON.parse(line) as KubeWatchEvent));
      return () => void response.destroy();
    },
  };
}

function open(url: string, { method, path, contentType, body }: KubeRequest, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      accept: "application/json",
      ...(contentType === undefined ? {} : { "content-type": contentType }),
    };
    const outgoing = httpRequest(`${url}${path}`, { method, headers, agent }, resolve);
    outgoing.on("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
