import type { Node } from "kubernetes-types/core/v1.js";
import type { NodeClaim } from "../manifests.ts";
import type { Story } from "../scene.ts";

/** The end of all that the stories before it have left. */
export const leaveStory: Story = {
  name: "leave",
  about: "when all pools are deleted, their claims and machines go, whatever happened before",
  async play(scene) {
    const left = async () => [
      ...(await scene.api.list<NodeClaim>("/apis/karpenter.sh/v1/nodeclaims")),
      ...(await scene.api.list<Node>("/api/v1/nodes")),
    ];
    try {
      await scene.until("nothing is left", async () => (await left()).length === 0);
    } catch {
      const names = (await left()).map(({ metadata }) => metadata?.name).join(", ");
      scene.check(false, `what belonged to pools that are gone is still there: ${names}`);
    }
  },
};
