import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callsIn } from "./kube-calls.ts";

const imports = `import { nodeClaims as claims } from "../../core/api/karpenter-resources.ts";
import { deployments, pods } from "../../runtime/resources.ts";
`;

const calls = (source: string) =>
  callsIn("controllers/a.ts", `${imports}${source}`).map(({ group, resource, verb }) => `${verb} ${group} ${resource}`);

describe("the search for requests to the Kubernetes API", () => {
  it("sees what a call names, by whatever name the file has for it", () => {
    assert.deepEqual(calls("await this.#options.kube.delete(claims, { name }, { uid });"), [
      "delete karpenter.sh nodeclaims",
    ]);
  });

  it("sees parts of an object over several lines", () => {
    const source = `kube.patch(
      pods,
      { namespace, name: nameOf(pod), subresource: "status" },
      { body },
    ); kube.createSubresource(pods, { subresource: "eviction" }, body)`;
    assert.deepEqual(calls(source), ["patch  pods/status", "create  pods/eviction"]);
  });

  it("sees a status that is written by way of patchStatus", () => {
    assert.deepEqual(calls("patchStatus(kube, claims, patch)"), ["patch karpenter.sh nodeclaims/status"]);
  });

  it("takes a variable for everything that the file knows", () => {
    assert.deepEqual(calls("kube.get(resource, { name })"), [
      "get karpenter.sh nodeclaims",
      "get apps deployments",
      "get  pods",
    ]);
  });

  it("heeds no comments", () => {
    assert.deepEqual(calls("// kube.delete(claims)\n/* kube.delete(pods) */"), []);
  });

  for (const [title, source] of [
    ["a client by another name", "constructor(client: KubeClient) {}"],
    ["a way of asking that is unknown", "kube.replace(pods, pod)"],
    ["a resource that is unknown", "kube.get(secrets, { name })"],
    ["a request past the client", "transport.send({ method, path })"],
    ["something else that follows objects", "new Reflector({ transport, resource: pods })"],
    ["a part of an object that is not written out", "kube.createSubresource(pods, target, body)"],
  ]) {
    it(`gives up at ${title}, rather than miss a request`, () => {
      assert.throws(() => calls(source ?? ""), /controllers\/a\.ts/);
    });
  }
});
