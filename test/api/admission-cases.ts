import { convertedCases } from "../legacy/converted-cases.ts";
import type { AdmissionCase } from "./admission-case.ts";
import { ec2NodeClassCases } from "./cases/ec2-node-class-cases.ts";
import { nodeClaimCases } from "./cases/node-claim-cases.ts";
import { nodePoolCases } from "./cases/node-pool-cases.ts";
import { otherCases } from "./cases/other-cases.ts";

export interface NamedCase extends AdmissionCase {
  /** Of the object in the cluster. It goes into messages, and so is the same on all servers. */
  readonly name: string;
}

export const admissionCases: readonly NamedCase[] = [
  ...nodePoolCases,
  ...nodeClaimCases,
  ...otherCases,
  ...ec2NodeClassCases,
  ...convertedCases,
].map((one, index) => ({ ...one, name: `case-${index + 1}` }));
