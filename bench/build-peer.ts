import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runChild } from "./child.ts";

export type PeerBuild =
  | { readonly kind: "built"; readonly path: string; readonly goVersion: string }
  | { readonly kind: "skipped"; readonly reason: string };

const source = join(import.meta.dirname, "peer");
const cache = join(import.meta.dirname, "../node_modules/.cache/karpenter-bench");

/** Builds the Go planner, or finds it built. The first build downloads modules and takes some minutes. */
export async function buildPeer(say: (text: string) => void): Promise<PeerBuild> {
  const version = await runChild("go", ["version"], { cwd: source });
  if (version.kind !== "done") return { kind: "skipped", reason: "Go is not at hand" };
  const goVersion = version.stdout.trim().replace(/^go version /, "");
  const hash = createHash("sha256").update(goVersion);
  for (const name of ["main.go", "go.mod", "go.sum"]) hash.update(readFileSync(join(source, name)));
  const suffix = process.platform === "win32" ? ".exe" : "";
  const path = join(cache, `peer-${hash.digest("hex").slice(0, 12)}${suffix}`);
  if (existsSync(path)) return { kind: "built", path, goVersion };
  mkdirSync(cache, { recursive: true });
  say("building the Go planner; the first time takes some minutes");
  const build = await runChild("go", ["build", "-o", path, "."], { cwd: source });
  if (build.kind === "done") return { kind: "built", path, goVersion };
  return { kind: "skipped", reason: `go build failed: ${build.kind === "failed" ? build.reason : "timeout"}` };
}
