import type { ContractCase } from "../contract-case.ts";

export const discoveryCases: readonly ContractCase[] = [
  {
    name: "discovery-versions-of-core",
    about: "what the core group is called",
    async run(api) {
      await api.request({ path: "/api" });
    },
  },
];
