import type { InstanceProfile } from "@aws-sdk/client-iam";
import type { ObjectIdentity } from "../../../core/model/object-identity.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { AwsApi, IamApi } from "../api/aws-api.ts";
import { errorCodeOf, isNotFound, isUnauthorized, messageOf } from "../api/aws-error.ts";
import type { InstanceProfiles } from "../aws-parts.ts";
import type { AwsSettings } from "../aws-settings.ts";
import { ExpiringMap } from "../expiring-map.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import {
  clusterPath,
  legacyProfileName,
  newProfileName,
  nodeClassPath,
  type ProfileScope,
  profileTags,
  roleNameOf,
} from "./profile-names.ts";

export interface ManagedInstanceProfilesOptions {
  readonly api: Pick<AwsApi, "region" | "iam">;
  readonly clock: Clock;
  /** From 0 to 1, 1 excluded; for names. */
  readonly random: () => number;
  readonly settings: Pick<AwsSettings, "clusterName">;
}

/** The role that a node class names is not there. */
export class RoleNotFoundError extends Error {
  constructor(role: string) {
    super(`IAM has no role "${role}": create it, or correct spec.role`);
  }
}

const minute = 60_000;

/** Makes an instance profile for each node class that names a role, and takes it away again. */
export class ManagedInstanceProfiles implements InstanceProfiles {
  readonly #iam: IamApi;
  readonly #scope: ProfileScope;
  readonly #random: () => number;
  /** The role of each profile, "" when it has none. */
  readonly #roles: ExpiringMap<string>;
  readonly #missingRoles: ExpiringMap<true>;
  /** What was made a moment ago, in case its name did not get into the status. */
  readonly #made: ExpiringMap<string>;
  readonly #protected: ExpiringMap<true>;

  constructor({ api, clock, random, settings }: ManagedInstanceProfilesOptions) {
    this.#iam = api.iam;
    this.#scope = { region: api.region, clusterName: settings.clusterName };
    this.#random = random;
    this.#roles = new ExpiringMap({ clock, milliseconds: 15 * minute });
    this.#missingRoles = new ExpiringMap({ clock, milliseconds: minute });
    this.#made = new ExpiringMap({ clock, milliseconds: minute });
    this.#protected = new ExpiringMap({ clock, milliseconds: 60 * minute });
  }

  async ensure(nodeClass: Ec2NodeClass): Promise<string> {
    const before = nodeClass.status.instanceProfile;
    const now = await this.#profileOf(nodeClass, before);
    // Claims that were launched with the old one may not be in sight yet.
    if (before !== undefined && before !== now) this.#protected.set(before, true);
    return now;
  }

  async removeAllOf(nodeClass: ObjectIdentity): Promise<void> {
    for (const { InstanceProfileName } of await this.#listBelow(nodeClassPath(this.#scope, nodeClass))) {
      if (InstanceProfileName !== undefined) await this.remove(InstanceProfileName);
    }
    const legacy = legacyProfileName(this.#scope, nodeClass);
    if (legacy !== undefined) await this.remove(legacy);
  }

  /** Those of every node class of the cluster, whether it is still there or not. */
  async list(): Promise<readonly string[]> {
    const profiles = await this.#listBelow(clusterPath(this.#scope));
    return profiles.flatMap(({ InstanceProfileName }) => InstanceProfileName ?? []);
  }

  /** Whether somebody may be about to use it. */
  isProtected(profile: string): boolean {
    return this.#protected.get(profile) === true;
  }

  /** Fine when it is gone already. */
  async remove(profile: string): Promise<void> {
    const found = await this.#iam.getInstanceProfile(profile);
    if (found !== undefined) {
      for (const { RoleName } of found.Roles ?? []) {
        const input = { InstanceProfileName: profile, RoleName };
        await unlessGone(this.#iam.removeRoleFromInstanceProfile(input));
      }
      await unlessGone(this.#iam.deleteInstanceProfile(profile));
    }
    this.#roles.delete(profile);
    this.#protected.delete(profile);
  }

  async #profileOf(nodeClass: Ec2NodeClass, before: string | undefined): Promise<string> {
    const { instanceProfile, role = "" } = nodeClass.spec;
    if (instanceProfile !== undefined) return instanceProfile;
    const roleName = roleNameOf(role);
    const madeKey = `${role}/${nodeClass.uid}`;
    const current = this.#made.get(madeKey) ?? before;
    if (current !== undefined && (await this.#roleOf(current)) === roleName) return current;
    if (this.#missingRoles.get(roleName)) throw new RoleNotFoundError(roleName);
    const profile = (await this.#adopt(nodeClass, roleName)) ?? (await this.#make(nodeClass, roleName));
    this.#made.set(madeKey, profile);
    this.#roles.set(profile, roleName);
    return profile;
  }

  /** Undefined when there is no such profile. */
  async #roleOf(profile: string): Promise<string | undefined> {
    const known = this.#roles.get(profile);
    if (known !== undefined) return known;
    const found = await this.#iam.getInstanceProfile(profile);
    if (found === undefined) return undefined;
    const role = found.Roles?.[0]?.RoleName ?? "";
    this.#roles.set(profile, role);
    return role;
  }

  /** What was made for the node class before a crash, or by hand. */
  async #adopt(nodeClass: Ec2NodeClass, roleName: string): Promise<string | undefined> {
    const profiles = await this.#listBelow(nodeClassPath(this.#scope, nodeClass)).catch((error: unknown) => {
      // It can be done without: what is left over is collected by somebody who may list.
      if (isUnauthorized(error)) return [];
      throw error;
    });
    const rank = ({ Roles = [] }: InstanceProfile): number => (Roles.length === 0 ? 1 : 0);
    const usable = profiles
      .filter(({ Roles = [] }) => Roles.length === 0 || Roles[0]?.RoleName === roleName)
      .sort((left, right) => rank(left) - rank(right))[0];
    if (usable?.InstanceProfileName === undefined) return undefined;
    this.#protected.set(usable.InstanceProfileName, true);
    if (rank(usable) > 0) await this.#attach(usable.InstanceProfileName, roleName);
    return usable.InstanceProfileName;
  }

  async #make(nodeClass: Ec2NodeClass, roleName: string): Promise<string> {
    const profile = newProfileName(this.#scope, nodeClass, `${this.#random()}${this.#random()}`);
    // From the beginning, so that nobody collects it before it is in use.
    this.#protected.set(profile, true);
    try {
      await this.#create(profile, nodeClass);
      await this.#attach(profile, roleName);
    } catch (error) {
      // Nobody would use half a profile. Where this fails too, it is collected.
      this.#protected.delete(profile);
      await this.remove(profile).catch(() => {});
      throw error;
    }
    return profile;
  }

  async #create(profile: string, nodeClass: Ec2NodeClass): Promise<void> {
    const input = {
      InstanceProfileName: profile,
      Path: nodeClassPath(this.#scope, nodeClass),
      Tags: profileTags(this.#scope, nodeClass),
    };
    try {
      await this.#iam.createInstanceProfile(input);
    } catch (error) {
      // Nobody else makes this name: it was us, in an attempt whose answer was lost.
      if (!["EntityAlreadyExists", "EntityAlreadyExistsException"].includes(errorCodeOf(error))) throw error;
    }
  }

  async #attach(profile: string, roleName: string): Promise<void> {
    try {
      await this.#iam.addRoleToInstanceProfile({ InstanceProfileName: profile, RoleName: roleName });
    } catch (error) {
      if (!isRoleMissing(error)) throw error;
      this.#missingRoles.set(roleName, true);
      throw new RoleNotFoundError(roleName);
    }
  }

  /** Some endpoints ignore the prefix, and what is not ours must never be touched. */
  async #listBelow(path: string): Promise<readonly InstanceProfile[]> {
    const profiles = await this.#iam.listInstanceProfiles(path);
    return profiles.filter(({ Path = "" }) => Path.startsWith(path));
  }
}

/** The profile may be what is missing, too; only the message tells. */
function isRoleMissing(error: unknown): boolean {
  return ["NoSuchEntity", "NoSuchEntityException"].includes(errorCodeOf(error)) && /\brole\b/i.test(messageOf(error));
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
