import type { SecurityGroup } from "@aws-sdk/client-ec2";
import type { Clock } from "../../../ports/clock.ts";
import type { AwsApi } from "../api/aws-api.ts";
import type { SecurityGroupFinder } from "../aws-parts.ts";
import { ExpiringMap } from "../expiring-map.ts";
import type { Ec2NodeClass, StatusSecurityGroup } from "../node-class/ec2-node-class.ts";
import { revisionOf } from "./revision-of.ts";
import { securityGroupFilters } from "./selector-filters.ts";

export interface SecurityGroupsOptions {
  readonly api: { readonly ec2: Pick<AwsApi["ec2"], "describeSecurityGroups"> };
  readonly clock: Clock;
}

const rememberedMilliseconds = 60_000;

export class SecurityGroups implements SecurityGroupFinder {
  readonly #options: SecurityGroupsOptions;
  readonly #found: ExpiringMap<readonly StatusSecurityGroup[]>;

  constructor(options: SecurityGroupsOptions) {
    this.#options = options;
    this.#found = new ExpiringMap({ clock: options.clock, milliseconds: rememberedMilliseconds });
  }

  async find(nodeClass: Ec2NodeClass): Promise<readonly StatusSecurityGroup[]> {
    const key = revisionOf(nodeClass);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const { ec2 } = this.#options.api;
    const requests = securityGroupFilters(nodeClass.spec.securityGroupSelectorTerms);
    const answers = await Promise.all(requests.map((Filters) => ec2.describeSecurityGroups({ Filters: [...Filters] })));
    const found = toStatus(answers.flat());
    this.#found.set(key, found);
    return found;
  }
}

/** Each once, by id. */
function toStatus(groups: readonly SecurityGroup[]): readonly StatusSecurityGroup[] {
  const byId = new Map(groups.map(({ GroupId: id = "", GroupName: name }) => [id, { id, name }]));
  return [...byId.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
}
