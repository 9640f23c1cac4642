import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { Pod } from "kubernetes-types/core/v1.js";

/** What kube-scheduler would have done to a pod, had nobody stopped it. */
export interface Observation {
  /** Nodes that passed every filter. */
  readonly feasible: readonly string[];
  /** Victims by node, as uids, with the budgets that their eviction breaks. */
  readonly preemption: ReadonlyMap<string, { readonly victims: readonly string[]; readonly violations: number }>;
}

export interface Extender {
  /** What goes into the scheduler's configuration. */
  readonly configuration: Readonly<Record<string, unknown>>;
  /** By uid; nothing, if the scheduler never got as far as asking. */
  observe(uid: string): Observation;
  stop(): Promise<void>;
}

interface ExtenderRequest {
  readonly Pod?: Pod;
  readonly NodeNames?: readonly string[];
  readonly NodeNameToMetaVictims?: Readonly<
    Record<string, { readonly Pods: readonly { readonly UID: string }[]; readonly NumPDBViolations?: number }>
  >;
}

/**
 * Listens to kube-scheduler's decisions and lets none come true, so that the cluster stays as it is: no node is left
 * when it has filtered, and no candidate when it wants to preempt. With `scores`, nodes are left, and binding fails.
 */
export async function startExtender({ scores = false } = {}): Promise<Extender> {
  const feasible = new Map<string, readonly string[]>();
  const preemption = new Map<string, Observation["preemption"]>();
  const answer = (verb: string, { Pod: pod, NodeNames = [], NodeNameToMetaVictims = {} }: ExtenderRequest) => {
    const uid = pod?.metadata?.uid ?? "";
    if (verb === "/filter") {
      feasible.set(uid, NodeNames);
      return { NodeNames: scores ? NodeNames : [] };
    }
    if (verb === "/bind") return { Error: "nothing is bound here" };
    const candidates = Object.entries(NodeNameToMetaVictims).map(
      ([node, { Pods, NumPDBViolations = 0 }]) =>
        [node, { victims: Pods.map(({ UID }) => UID), violations: NumPDBViolations }] as const,
    );
    preemption.set(uid, new Map(candidates));
    return { NodeNameToMetaVictims: {} };
  };
  const server = createServer((incoming, response) => {
    void readJson(incoming).then((body) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answer(incoming.url ?? "", body)));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    configuration: {
      urlPrefix: `http://127.0.0.1:${port}`,
      filterVerb: "filter",
      preemptVerb: "preempt",
      ...(scores ? { bindVerb: "bind" } : {}),
      nodeCacheCapable: true,
    },
    observe: (uid) => ({ feasible: feasible.get(uid) ?? [], preemption: preemption.get(uid) ?? new Map() }),
    async stop() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}

async function readJson(incoming: IncomingMessage): Promise<ExtenderRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}
