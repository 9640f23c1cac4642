import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";
import { cacheFolder } from "../../../scripts/lab/binaries.ts";

const source = import.meta.dirname;

/** What the Go provider makes of an instance type; amounts of which there is none are left out. */
export interface PeerType {
  readonly name: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
  readonly capacity: Readonly<Record<string, number>>;
  readonly allocatable: Readonly<Record<string, number>>;
}

export interface PeerQuestion {
  readonly Types: readonly InstanceTypeInfo[];
  readonly Zones: Readonly<Record<string, readonly string[]>>;
}

/** The path of the Go provider's part that knows instance types, built if need be; undefined without Go. */
export function buildPeer(say: (line: string) => void): string | undefined {
  const version = spawnSync("go", ["version"], { cwd: source, encoding: "utf8" });
  if (version.status !== 0) return undefined;
  const hash = createHash("sha256").update(version.stdout);
  for (const name of ["main.go", "go.mod", "go.sum"]) hash.update(readFileSync(join(source, name)));
  const path = join(cacheFolder(), `aws-peer-${hash.digest("hex").slice(0, 12)}`);
  if (existsSync(path)) return path;
  mkdirSync(cacheFolder(), { recursive: true });
  say("building the Go provider's instance types; the first time takes some minutes");
  const build = spawnSync("go", ["build", "-o", path, "."], { cwd: source, encoding: "utf8" });
  if (build.status !== 0) throw new Error(`go build failed: ${build.stderr.slice(-1000)}`);
  return path;
}

export function askPeer(path: string, family: string, question: PeerQuestion): ReadonlyMap<string, PeerType> {
  const input = JSON.stringify(question);
  const { status, stdout, stderr } = spawnSync(path, [family], { input, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`the Go provider failed: ${stderr.slice(-1000)}`);
  const types = stdout
    .trim()
    .split("\n")
    .map((line): PeerType => JSON.parse(line));
  return new Map(types.map((type) => [type.name, type]));
}
