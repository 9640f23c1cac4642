import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, describe, it } from "node:test";
import { stringify } from "yaml";
import { KubeConfigError } from "./config-section.ts";
import { loadKubeConfig } from "./load-kube-config.ts";

const folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
after(() => rmSync(folder, { recursive: true }));

let count = 0;
/** In a folder of its own. */
function write(content: unknown, name = "config"): string {
  const own = join(folder, String(count++));
  mkdirSync(own);
  const file = join(own, name);
  writeFileSync(file, typeof content === "string" ? content : stringify(content));
  return file;
}

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
}

function config({ cluster = {}, user = {}, context = {} }: Parts): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "lab", cluster: { server: "https://lab.example.com:6443", ...cluster } }],
    users: [{ name: "admin", user }],
    contexts: [{ name: "main", context: { cluster: "lab", user: "admin", ...context } }],
    "current-context": "main",
  };
}

const nowhere = { env: {}, homeFolder: join(folder, "no-home"), serviceAccountFolder: join(folder, "no-pod") };
const load = (kubeconfigPath: string) => loadKubeConfig({ ...nowhere, kubeconfigPath });

/** What is wrong with it, without the path of the file. */
function mistakeIn(content: unknown): string {
  const file = write(content);
  try {
    load(file);
  } catch (error) {
    assert.ok(error instanceof KubeConfigError, String(error));
    assert.equal(error.cause, undefined);
    return error.message.replaceAll(file, "FILE");
  }
  return "nothing";
}

async function credentialFor(user: object): Promise<unknown> {
  return await load(write(config({ user }))).credentials.current(0);
}

describe("a kubeconfig", () => {
  it("says where the server is and how to know it", () => {
    const cluster = {
      server: "https://lab.example.com/k8s/",
      "tls-server-name": "kube",
      "insecure-skip-tls-verify": true,
    };
    const { server, tls, namespace } = load(write(config({ cluster, context: { namespace: "karpenter" } })));
    assert.deepEqual(
      { server, tls, namespace },
      {
        server: "https://lab.example.com/k8s",
        tls: { serverName: "kube", isUnverified: true },
        namespace: "karpenter",
      },
    );
  });

  it("says who we are: by token, by token in a file, by name and password, or not at all", async () => {
    assert.deepEqual(await credentialFor({ token: "abc" }), { authorization: "Bearer abc" });
    const tokenFile = write("from-file\n", "token");
    assert.deepEqual(await credentialFor({ tokenFile, token: "abc" }), { authorization: "Bearer from-file" });
    const basic = `Basic ${Buffer.from("me:pass").toString("base64")}`;
    assert.deepEqual(await credentialFor({ username: "me", password: "pass" }), { authorization: basic });
    assert.deepEqual(await credentialFor({}), {});
  });

  it("is searched for at the given path, in KUBECONFIG, in the pod and then at home", () => {
    const at = (server: string) => write(config({ cluster: { server } }));
    const [given, listed] = [at("https://given"), at("https://listed")];
    const homeFolder = join(folder, "home");
    mkdirSync(join(homeFolder, ".kube"), { recursive: true });
    writeFileSync(join(homeFolder, ".kube", "config"), stringify(config({ cluster: { server: "https://home" } })));
    const env = { KUBECONFIG: `${join(folder, "none")}${delimiter}${listed}` };
    assert.equal(loadKubeConfig({ ...nowhere, env, homeFolder, kubeconfigPath: given }).server, "https://given");
    assert.equal(loadKubeConfig({ ...nowhere, env, homeFolder }).server, "https://listed");
    assert.equal(loadKubeConfig({ ...nowhere, homeFolder }).server, "https://home");
    assert.throws(
      () => loadKubeConfig(nowhere),
      /KUBECONFIG is not set, and there is no .*; set KUBECONFIG to the path/,
    );
    assert.throws(() => loadKubeConfig({ ...nowhere, env: { KUBECONFIG: "/none" } }), {
      message: "KUBECONFIG: there is no file /none; correct or unset it",
    });
  });

  it("may be several files, of which the first to say something counts, and paths begin at their file", async () => {
    const first = write({ contexts: [{ name: "main", context: { cluster: "lab", user: "admin" } }], users: [] });
    const second = write({ ...config({ user: { tokenFile: "token" } }), contexts: [], "current-context": "main" });
    writeFileSync(join(second, "..", "token"), "beside");
    const third = write(config({ cluster: { server: "https://third" }, user: { token: "third" } }));
    const access = loadKubeConfig({ ...nowhere, env: { KUBECONFIG: [first, second, third].join(delimiter) } });
    assert.equal(access.server, "https://lab.example.com:6443");
    assert.deepEqual(await access.credentials.current(0), { authorization: "Bearer beside" });
  });
});

describe("a mistake in a kubeconfig names the file, the field and the next step", () => {
  const mistakes: readonly (readonly [content: unknown, message: string])[] = [
    ["users: [{token: sec-ret", "FILE: is not YAML (BAD_INDENT, at character 23); mend or replace it"],
    ["- a", "FILE: the file must be an object with fields"],
    [{ kind: "Pod" }, "FILE: kind of the file must be Config; is this a kubeconfig?"],
    [
      { secrets: [] },
      "FILE: secrets of the file is not supported; remove it, or use one of apiVersion, kind, preferences, clusters, users, contexts, current-context, extensions",
    ],
    [{}, 'FILE: current-context is not set; choose one after adding it with "kubectl config use-context"'],
    [
      { "current-context": "a", contexts: [{ name: "b" }] },
      'FILE: current-context names "a", which is no context; choose one of b',
    ],
    [
      config({ context: { user: "other" } }),
      'FILE: user of context "main" names "other", which is no user; choose one of admin',
    ],
    [config({ cluster: { server: "" } }), 'FILE: server of cluster "lab" is missing; add it'],
    [
      config({ cluster: { server: "https://me:sec-ret@host" } }),
      'FILE: server of cluster "lab" holds a name or password; move it to the user',
    ],
    [
      config({ cluster: { server: "ftp://host" } }),
      'FILE: server of cluster "lab" is no address; write it as in "https://10.0.0.1:6443"',
    ],
    [
      config({ cluster: { "proxy-url": "http://me:sec-ret@p" } }),
      'FILE: proxy-url of cluster "lab" is not supported; reach the server without a proxy, and remove it',
    ],
    [
      config({ cluster: { "certificate-authority-data": "sec-ret" } }),
      'FILE: certificate-authority-data of cluster "lab" holds no certificate; it must be PEM in base64',
    ],
    [
      config({ cluster: { "certificate-authority": "/none" } }),
      'FILE: certificate-authority of cluster "lab" points to /none, which cannot be read (ENOENT); check the path and who may read it',
    ],
    [
      config({ cluster: { "insecure-skip-tls-verify": "yes" } }),
      'FILE: insecure-skip-tls-verify of cluster "lab" must be true or false',
    ],
    [config({ user: { token: 12345 } }), 'FILE: token of user "admin" must be text; put it in quotes'],
    [
      config({ user: { token: "sec ret" } }),
      'FILE: token of user "admin" holds characters that no token has; copy it again',
    ],
    [
      config({ user: { token: "sec-ret", username: "me" } }),
      'FILE: username of user "admin" and token are two ways to log in; remove one of them',
    ],
    [
      config({ user: { password: "sec-ret" } }),
      'FILE: username of user "admin" is missing, and there is a password; add it',
    ],
    [
      config({ user: { "client-key-data": "sec-ret" } }),
      'FILE: client-key-data of user "admin" holds no key; it must be PEM in base64',
    ],
    [
      config({ user: { "auth-provider": { name: "gcp" } } }),
      'FILE: auth-provider of user "admin" is not supported, nor by kubectl any more; use the exec plugin of your cloud, which its command line tool sets up',
    ],
    [config({ user: { as: "root" } }), 'FILE: as of user "admin" is not supported; use credentials of the user itself'],
    [config({ user: { exec: { command: "x" } } }), 'FILE: apiVersion of exec of user "admin" is missing; add it'],
    [
      config({ user: { exec: { command: "x", apiVersion: "client.authentication.k8s.io/v1alpha1" } } }),
      'FILE: apiVersion of exec of user "admin" is "client.authentication.k8s.io/v1alpha1", which is not supported; use client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1',
    ],
  ];
  for (const [content, message] of mistakes) {
    it(message.replace(/^FILE: /, ""), () => {
      assert.equal(mistakeIn(content), message);
      assert.ok(!message.includes("sec-ret"));
    });
  }
});

describe("in a pod", () => {
  it("the authority of the server must be there, as the token is", () => {
    const token = write("first", "token");
    const serviceAccountFolder = join(token, "..");
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
    const enter = () => loadKubeConfig({ ...nowhere, env, serviceAccountFolder });
    assert.throws(enter, /ca\.crt: cannot be read \(ENOENT\); is automountServiceAccountToken/);
    writeFileSync(join(serviceAccountFolder, "ca.crt"), "nonsense");
    assert.throws(enter, /ca\.crt: holds no certificate; mount it again/);
  });
});
