import { KwokProvider, wellKnownLabelsOf } from "../../src/adapters/kwok/kwok-provider.ts";
import { loadInstanceTypes } from "../../src/adapters/kwok/load-instance-types.ts";
import { kwokNodeClasses } from "../../src/adapters/kwok/node-class.ts";
import type { InstanceType } from "../../src/core/model/instance-type.ts";
import type { NodeClaim } from "../../src/core/model/node-claim.ts";
import type { CloudParts } from "../../src/operator/clouds.ts";
import type { Cloud, RunningCloud } from "../../src/operator/controller.ts";
import type { KubeClient } from "../../src/runtime/kube-client.ts";

const generic = loadInstanceTypes({ builtIn: "generic" });

/** What the simulated cloud sells, which can change. It outlives the processes that buy there. */
export class Market {
  instanceTypes: readonly InstanceType[] = generic;
  /** Says why a claim gets no machine, whatever is on offer; undefined when it gets one. */
  refuse: (claim: NodeClaim) => string | undefined = () => undefined;

  open(parts: CloudParts): Cloud {
    return {
      nodeClassKinds: [kwokNodeClasses],
      wellKnownLabels: wellKnownLabelsOf(this.instanceTypes),
      create: ({ kube }) => this.#provide({ ...parts, kube }),
    };
  }

  /** Multiplies the price of some instance types, from now on. */
  reprice(isMeant: (typeName: string) => boolean, factor: number): void {
    this.instanceTypes = this.instanceTypes.map((type) =>
      isMeant(type.name)
        ? { ...type, offerings: type.offerings.map((offering) => ({ ...offering, price: offering.price * factor })) }
        : type,
    );
  }

  #provide(parts: CloudParts & { readonly kube: KubeClient }): RunningCloud {
    let sold: readonly InstanceType[] | undefined = this.instanceTypes;
    let provider = new KwokProvider({ ...parts, instanceTypes: this.instanceTypes });
    let resuming: Promise<void> = Promise.resolve();
    let isStopped = false;
    /** The provider of what is sold now, which knows of the machines that are booting. */
    const current = async (): Promise<KwokProvider> => {
      if (sold !== this.instanceTypes && !isStopped) {
        sold = this.instanceTypes;
        provider.stop();
        provider = new KwokProvider({ ...parts, instanceTypes: sold });
        resuming = provider.resume();
      }
      try {
        await resuming;
      } catch (error) {
        sold = undefined;
        throw error;
      }
      return provider;
    };
    return {
      name: provider.name,
      nodeClassKinds: provider.nodeClassKinds,
      wellKnownLabels: provider.wellKnownLabels,
      restrictedLabelDomains: provider.restrictedLabelDomains,
      repairPolicies: provider.repairPolicies,
      resume: () => provider.resume(),
      stop: () => {
        isStopped = true;
        provider.stop();
      },
      instanceTypes: async () => (await current()).instanceTypes(),
      launch: async (claim) => {
        const message = this.refuse(claim);
        return message === undefined ? (await current()).launch(claim) : { kind: "insufficient-capacity", message };
      },
      terminate: async (identity) => (await current()).terminate(identity),
      find: async (providerId) => (await current()).find(providerId),
      list: async () => (await current()).list(),
      driftReason: async () => "",
    };
  }
}
