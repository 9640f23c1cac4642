import type { Answer, Call, ContractCase, Recorder } from "./contract-case.ts";

/** Shorter words for the calls that most cases are made of. A name may go on to a subresource, as in `one/status`. */
export interface Resource {
  /** Of the collection. */
  readonly path: string;
  create(body: unknown, query?: string): Promise<Answer>;
  get(name: string, query?: string): Promise<Answer>;
  list(query?: string, accept?: string): Promise<Answer>;
  replace(name: string, body: unknown, query?: string): Promise<Answer>;
  merge(name: string, patch: unknown, query?: string): Promise<Answer>;
  strategic(name: string, patch: unknown, query?: string): Promise<Answer>;
  jsonPatch(name: string, patch: unknown, query?: string): Promise<Answer>;
  apply(name: string, configuration: unknown, query?: string): Promise<Answer>;
  delete(name: string, options?: unknown, query?: string): Promise<Answer>;
  deleteAll(query?: string, options?: unknown): Promise<Answer>;
}

/** A resource in the namespace of the case, as in `pods` or `apps/v1/deployments`. */
export function resource(api: Recorder, name: string): Resource {
  return resourceAt(api, pathOf(name, `namespaces/${api.namespace}/`));
}

/** Those without a namespace, or of all namespaces. */
export function clusterResource(api: Recorder, name: string): Resource {
  return resourceAt(api, pathOf(name, ""));
}

/** As `resource`, for calls that set the stage: they are written down nowhere, and must succeed. */
export function stage(api: Recorder): Recorder {
  const request = async (call: Call): Promise<Answer> => {
    const answer = await api.quietly(call);
    if (answer.status >= 400)
      throw new Error(`${call.method ?? "GET"} ${call.path}: ${answer.body?.message ?? answer.status}`);
    return answer;
  };
  return { ...api, request };
}

function pathOf(name: string, within: string): string {
  const parts = name.split("/");
  const plural = parts.pop() ?? "";
  return parts.length === 0 ? `/api/v1/${within}${plural}` : `/apis/${parts.join("/")}/${within}${plural}`;
}

function resourceAt(api: Recorder, path: string): Resource {
  const patch =
    (type: string) =>
    (name: string, body: unknown, query = "") =>
      api.request({
        method: "PATCH",
        path: `${path}/${name}${query}`,
        body,
        headers: { "content-type": `application/${type}` },
      });
  return {
    path,
    create: (body, query = "") => api.request({ method: "POST", path: `${path}${query}`, body }),
    get: (name, query = "") => api.request({ path: `${path}/${name}${query}` }),
    list: (query = "", accept = "application/json") => api.request({ path: `${path}${query}`, headers: { accept } }),
    replace: (name, body, query = "") => api.request({ method: "PUT", path: `${path}/${name}${query}`, body }),
    merge: patch("merge-patch+json"),
    strategic: patch("strategic-merge-patch+json"),
    jsonPatch: patch("json-patch+json"),
    apply: patch("apply-patch+yaml"),
    delete: (name, options, query = "") =>
      api.request({ method: "DELETE", path: `${path}/${name}${query}`, body: options }),
    deleteAll: (query = "", options) => api.request({ method: "DELETE", path: `${path}${query}`, body: options }),
  };
}

type Run = ContractCase["run"];

/** A case that has a namespace of its own. */
export function inNamespace(name: string, about: string, run: Run): ContractCase {
  return {
    name,
    about,
    async run(api) {
      await api.createNamespace();
      await run(api);
    },
  };
}
