// An AWS endpoint for tests: moto with our overlay, in a virtual environment outside the repository, on loopback.
import { execFile } from "node:child_process";
import { access, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { cacheFolder, findOnPath, type Progress } from "../../scripts/lab/binaries.ts";
import { createProcessGroup, findFreePorts } from "../../scripts/lab/process-group.ts";

const run = promisify(execFile);
const motoVersion = "5.2.5";
const patienceMs = 180_000;

export const region = "us-west-2";

/** There is no Python to run it with. */
export class NoPythonError extends Error {
  constructor() {
    super("there is no python3 on the PATH, and the AWS endpoint of the tests (moto) is written in it");
  }
}

export interface Moto {
  readonly endpoint: string;
  /** What a process needs to take it for AWS. */
  readonly environment: Readonly<Record<string, string>>;
  /** Throws when it has ended by itself. */
  check(): void;
  stop(): Promise<void>;
}

/** Answers when it returns. It ends with this process, if nobody stops it before. */
export async function startMoto(progress: Progress): Promise<Moto> {
  const python = await ensurePython(progress);
  const [port = 0] = await findFreePorts(1);
  const group = createProcessGroup(await mkdtemp(join(tmpdir(), "karpenter-moto-")));
  const overlay = join(import.meta.dirname, "overlay/main.py");
  // Without -B Python would leave its compiled files in the repository.
  group.start("moto", python, ["-B", overlay, String(port), join(cacheFolder(), `moto-${motoVersion}-answers`)]);
  const endpoint = `http://127.0.0.1:${port}`;
  const moto: Moto = {
    endpoint,
    environment: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_EC2_METADATA_DISABLED: "true",
    },
    check: () => group.check(),
    stop: () => group.stop(),
  };
  try {
    await waitUntilItAnswers(moto);
  } catch (cause) {
    await group.stop();
    throw cause;
  }
  return moto;
}

async function waitUntilItAnswers(moto: Moto): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      await fetch(`${moto.endpoint}/_ctl/reset`, { method: "POST" });
      return;
    } catch (cause) {
      moto.check();
      if (performance.now() > deadline) throw new Error(`moto has not answered for ${patienceMs / 1000} s`, { cause });
      await sleep(100);
    }
  }
}

/** The Python of a virtual environment that has moto. */
async function ensurePython(progress: Progress): Promise<string> {
  const folder = join(cacheFolder(), `moto-${motoVersion}`);
  const python = join(folder, "bin/python");
  if (await exists(python)) return python;
  const installed = await findOnPath("python3");
  if (installed === undefined) throw new NoPythonError();
  const unfinished = `${folder}.${process.pid}`;
  progress(`installing moto ${motoVersion} into ${folder}; a minute, and only the first time`);
  try {
    await run(installed, ["-m", "venv", unfinished]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", `moto[server,all]==${motoVersion}`];
    await run(join(unfinished, "bin/python"), pip, { maxBuffer: 64 << 20 });
    await rename(unfinished, folder);
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(
      `Cannot install moto ${motoVersion} with ${installed}. Read its message below; it needs Python 3.10 or later with venv, and a package index.\n${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
  return python;
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
