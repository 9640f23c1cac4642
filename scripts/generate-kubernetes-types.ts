// Writes src/embedded/schema/kubernetes-types.json: what the wire format of the built-in kinds is. The shapes come from
// the OpenAPI document of a real kube-apiserver, which it starts; which zero values JSON leaves out and the numbers of
// protobuf fields come from the tags in the Go API modules of the same version. Run it for a new Kubernetes version.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "./lab/control-plane.ts";
import { versions } from "./lab/versions.ts";

/** The libraries of Kubernetes 1.x are released as 0.x. */
const version = `v${versions.kubernetes.replace(/^1\./, "0.")}`;
const groups = [
  "api/v1",
  "apis/apps/v1",
  "apis/batch/v1",
  "apis/policy/v1",
  "apis/coordination.k8s.io/v1",
  "apis/storage.k8s.io/v1",
  "apis/events.k8s.io/v1",
  "apis/rbac.authorization.k8s.io/v1",
  "apis/scheduling.k8s.io/v1",
  "apis/node.k8s.io/v1",
  "apis/apiextensions.k8s.io/v1",
  "apis/authorization.k8s.io/v1",
  "apis/autoscaling/v1",
  "apis/discovery.k8s.io/v1",
];

interface Schema {
  [keyword: string]: unknown;
}

async function readDefinitions(server: ControlPlane): Promise<Record<string, Schema>> {
  const definitions: Record<string, Schema> = {};
  for (const group of groups) {
    const document = JSON.parse(await read(server, `/openapi/v3/${group}`)) as {
      components: { schemas: Record<string, Schema> };
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      definitions[name] = withoutDescriptions(schema) as Schema;
    }
  }
  return definitions;
}

function read({ server, credentials }: ControlPlane, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request(`${server}${path}`, credentials, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    })
      .on("error", reject)
      .end();
  });
}

function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, child]) => key !== "description" || typeof child !== "string")
      .map(([key, child]) => [key, withoutDescriptions(child)]),
  );
}

interface GoStruct {
  /** Protobuf numbers by JSON field. */
  numbers: Record<string, number>;
  /** Structs whose fields appear as if they were ours, by their type, with the protobuf number they are nested under. */
  inline: Record<string, number>;
  /** JSON fields that are left out when they hold false, 0 or "". */
  omitZero: string[];
}

const scalars = new Set(["string", "bool", "int32", "int64", "int", "float64"]);

function readGoStructs(): Record<string, GoStruct> {
  const modules = [
    { module: "k8s.io/api", prefix: "io.k8s.api", root: "" },
    { module: "k8s.io/apimachinery", prefix: "io.k8s.apimachinery", root: "pkg/apis/meta/" },
    { module: "k8s.io/apiextensions-apiserver", prefix: "io.k8s.apiextensions-apiserver", root: "pkg/apis/" },
  ];
  const structs: Record<string, GoStruct> = {};
  for (const { module, prefix, root } of modules) {
    const answer = execFileSync("go", ["mod", "download", "-json", `${module}@${version}`], {
      encoding: "utf8",
      cwd: tmpdir(),
    });
    const directory = (JSON.parse(answer) as { Dir: string }).Dir;
    for (const path of globSync(`${root}**/v1/types*.go`, { cwd: directory })) {
      const packageName = `${prefix}.${path.split("/").slice(0, -1).join(".")}`;
      readGoFile(readFileSync(join(directory, path), "utf8"), packageName, structs);
    }
  }
  return structs;
}

function readGoFile(source: string, packageName: string, structs: Record<string, GoStruct>): void {
  const named = new Map([...source.matchAll(/^type (\w+) (string|bool|int32|int64)$/gm)].map((m) => [m[1], m[2]]));
  for (const [, name = "", body = ""] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const found: GoStruct = { numbers: {}, inline: {}, omitZero: [] };
    for (const line of body.split("\n").filter((text) => !text.trim().startsWith("//"))) {
      const match = /^\s*(?:(\w+)\s+)?(\S+)\s+`(.*)`/.exec(line);
      if (match === null) continue;
      const [, , type = "", tags = ""] = match;
      const [json = "", ...options] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? "").split(",");
      const number = Number(/protobuf:"\w+,(\d+)/.exec(tags)?.[1] ?? 0);
      if (json === "") {
        if (number > 0) found.inline[`${packageName}.${type.replace(/^\*/, "")}`] = number;
        continue;
      }
      if (number > 0) found.numbers[json] = number;
      const plain = named.get(type) ?? (type === "types.UID" ? "string" : type);
      // Named strings of other files of the package: whatever is not a pointer, a slice, a map or a struct.
      if (options.includes("omitempty") && scalars.has(plain)) found.omitZero.push(json);
    }
    structs[`${packageName}.${name}`] = found;
  }
}

const server = await startControlPlane({ progress: console.error });
const definitions = await readDefinitions(server);
await server.stop();
const structs = readGoStructs();
const go: Record<string, GoStruct> = {};
const take = (name: string): void => {
  const found = structs[name];
  if (found === undefined || go[name] !== undefined) return;
  go[name] = found;
  for (const inline of Object.keys(found.inline)) take(inline);
};
for (const name of Object.keys(definitions).sort()) take(name);
const missing = Object.entries(definitions).filter(
  ([name, schema]) => schema.properties !== undefined && go[name] === undefined,
);
for (const [name] of missing) console.error(`No Go struct for ${name}`);
const sorted = Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync("src/embedded/schema/kubernetes-types.json", `${JSON.stringify({ definitions: sorted, go })}\n`);
console.log(`${Object.keys(definitions).length} types, ${Object.keys(go).length} with Go tags`);
