import { createSecureContext } from "node:tls";
import type { ConfigSection } from "./config-section.ts";
import { ExecCredentials } from "./exec-credentials.ts";
import { execPluginOf } from "./exec-plugin.ts";
import { FileCredentials } from "./file-credentials.ts";
import { isToken } from "./is-token.ts";
import { type KubeCredential, type KubeCredentials, unchangingCredentials } from "./kube-access.ts";
import type { KubeCluster } from "./kube-cluster.ts";
import { readPem, readPointedFile } from "./read-pem.ts";

const known = [
  "client-certificate",
  "client-certificate-data",
  "client-key",
  "client-key-data",
  "token",
  "tokenFile",
  "username",
  "password",
  "exec",
  "extensions",
];

export interface UserContext {
  readonly cluster: KubeCluster;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function credentialsOf(section: ConfigSection, { cluster, env }: UserContext): KubeCredentials {
  if (section.has("auth-provider")) {
    throw section.mistake(
      "auth-provider",
      "is not supported, nor by kubectl any more; use the exec plugin of your cloud, which its command line tool sets up",
    );
  }
  for (const field of ["as", "as-uid", "as-groups", "as-user-extra"]) {
    if (section.has(field)) throw section.mistake(field, "is not supported; use credentials of the user itself");
  }
  section.allowOnly(known);
  refuseSeveral(section);
  const exec = section.section("exec");
  if (exec !== undefined) {
    const certificate = certificateIn(section);
    const fixed = certificate === undefined ? {} : { certificate };
    return new ExecCredentials(execPluginOf(exec, { cluster, env }), fixed);
  }
  const read = (): KubeCredential => {
    const authorization = authorizationIn(section);
    const certificate = certificateIn(section);
    return {
      ...(authorization === undefined ? {} : { authorization }),
      ...(certificate === undefined ? {} : { certificate }),
    };
  };
  const pointsToFiles = ["tokenFile", "client-certificate", "client-key"].some((field) => section.has(field));
  return pointsToFiles ? new FileCredentials(read) : unchangingCredentials(read());
}

function refuseSeveral(section: ConfigSection): void {
  const ways = [["token", "tokenFile"], ["username"], ["exec"]].flatMap(
    (fields) => fields.find((field) => section.has(field)) ?? [],
  );
  const [first, second] = ways;
  if (first !== undefined && second !== undefined) {
    throw section.mistake(second, `and ${first} are two ways to log in; remove one of them`);
  }
}

function authorizationIn(section: ConfigSection): string | undefined {
  const fromFile = readPointedFile(section, "tokenFile")?.trim();
  if (fromFile === "") throw section.mistake("tokenFile", "points to an empty file; put the token there");
  const token = fromFile ?? section.text("token")?.trim();
  if (token !== undefined) {
    if (isToken(token)) return `Bearer ${token}`;
    const field = fromFile === undefined ? "token" : "tokenFile";
    throw section.mistake(field, "holds characters that no token has; copy it again");
  }
  const [username, password] = [section.text("username"), section.text("password")];
  if (username === undefined && password === undefined) return undefined;
  if (username === undefined) throw section.mistake("username", "is missing, and there is a password; add it");
  return `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}`;
}

function certificateIn(section: ConfigSection): KubeCredential["certificate"] {
  const cert = readPem(section, "client-certificate", "certificate");
  const key = readPem(section, "client-key", "key");
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined) throw section.mistake("client-certificate", "is missing, and there is a client-key; add it");
  if (key === undefined) throw section.mistake("client-key", "is missing, and there is a client-certificate; add it");
  try {
    createSecureContext({ cert, key });
  } catch {
    throw section.mistake("client-key", "does not belong to client-certificate; take both from the same place");
  }
  return { cert, key };
}
