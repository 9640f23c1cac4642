import { spawn } from "node:child_process";
import { KubeConfigError } from "./config-section.ts";
import type { ExecPlugin } from "./exec-plugin.ts";
import { isToken } from "./is-token.ts";
import type { KubeCredential } from "./kube-access.ts";
import { isPem } from "./read-pem.ts";

export interface IssuedCredential {
  readonly credential: KubeCredential;
  /** In milliseconds since 1970; where absent it is good until the server says no. */
  readonly expiresAt?: number;
}

const patienceMs = 60_000;

/** Rejects with what whoever set up the plugin can mend. What the program prints is secret and shown nowhere. */
export async function runExecPlugin(plugin: ExecPlugin): Promise<IssuedCredential> {
  return readIssued(await outputOf(plugin), plugin);
}

function outputOf(plugin: ExecPlugin): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // What it has to say to people goes where our own messages go.
  const child = spawn(plugin.command, plugin.args, {
    env: plugin.env as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "inherit"],
    windowsHide: true,
  });
  // Not the option of spawn, whose timer goes on when the program could not be started.
  const timer = setTimeout(() => child.kill(), patienceMs);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("error", (error: NodeJS.ErrnoException) => {
    clearTimeout(timer);
    const hint = plugin.installHint ?? "install it, or correct the command";
    reject(problem(plugin, `cannot be started (${error.code ?? "unknown error"}); ${hint}`));
  });
  child.on("close", (code, signal) => {
    clearTimeout(timer);
    if (code === 0) resolve(Buffer.concat(chunks).toString());
    else if (signal !== null)
      reject(problem(plugin, `was ended by ${signal}; it has ${patienceMs / 1000} s to answer`));
    else reject(problem(plugin, `ended with ${code}; run it by hand to see why`));
  });
  return promise;
}

interface ExecCredentialObject {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly status?: {
    readonly expirationTimestamp?: unknown;
    readonly token?: unknown;
    readonly clientCertificateData?: unknown;
    readonly clientKeyData?: unknown;
  };
}

function readIssued(output: string, plugin: ExecPlugin): IssuedCredential {
  const { apiVersion, kind, status } = parse(output, plugin);
  if (kind !== "ExecCredential") throw problem(plugin, "printed something else than an ExecCredential; correct args");
  if (apiVersion !== plugin.apiVersion) {
    throw problem(plugin, `printed another apiVersion than ${plugin.apiVersion}; set apiVersion to the one it prints`);
  }
  const text = (field: keyof NonNullable<typeof status>): string | undefined => {
    const value = status?.[field] ?? "";
    if (typeof value !== "string") throw problem(plugin, `printed a status.${field} that is no text; update it`);
    return value === "" ? undefined : value.trim();
  };
  const token = text("token");
  if (token !== undefined && !isToken(token)) {
    throw problem(plugin, "printed a status.token with characters that no token has; update it");
  }
  const [cert, key] = [text("clientCertificateData"), text("clientKeyData")];
  if ((cert === undefined) !== (key === undefined)) {
    throw problem(plugin, "printed only one of status.clientCertificateData and status.clientKeyData; update it");
  }
  if (cert !== undefined && !(isPem(cert, "certificate") && isPem(key ?? "", "key"))) {
    throw problem(plugin, "printed a certificate or key that is not PEM; update it");
  }
  if (token === undefined && cert === undefined) {
    throw problem(plugin, "printed neither a token nor a certificate; log in with it by hand");
  }
  const expiry = text("expirationTimestamp");
  const expiresAt = expiry === undefined ? undefined : Date.parse(expiry);
  if (Number.isNaN(expiresAt)) throw problem(plugin, "printed a status.expirationTimestamp that is no time; update it");
  return {
    credential: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cert === undefined || key === undefined ? {} : { certificate: { cert, key } }),
    },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function parse(output: string, plugin: ExecPlugin): ExecCredentialObject {
  try {
    return (JSON.parse(output) ?? {}) as ExecCredentialObject;
  } catch {
    throw problem(plugin, "printed no JSON; correct args so that it prints an ExecCredential");
  }
}

function problem({ place, command }: ExecPlugin, state: string): KubeConfigError {
  return new KubeConfigError(`${place.file}: command "${command}" of ${place.owner} ${state}`);
}
