import type { IamApi } from "../../src/adapters/aws/api/aws-api.ts";

/** As the SDK throws what AWS answers. */
export function awsError(code: string, message = code, httpStatusCode = 400): Error {
  return Object.assign(new Error(message), { name: code, Code: code, $metadata: { httpStatusCode } });
}

interface Profile {
  readonly path: string;
  readonly tags: Readonly<Record<string, string>>;
  role: string | undefined;
}

/** Instance profiles in memory. Like some endpoints it ignores the prefix of a path. */
export class MemoryIam implements IamApi {
  readonly profiles = new Map<string, Profile>();
  readonly roles = new Set<string>();
  readonly calls: string[] = [];
  /** By the name of the call: what it rejects with, instead of doing anything. */
  readonly failures = new Map<keyof IamApi, Error>();

  async getInstanceProfile(name: string) {
    this.#begin("getInstanceProfile");
    const profile = this.profiles.get(name);
    return profile === undefined ? undefined : written(name, profile);
  }

  async listInstanceProfiles() {
    this.#begin("listInstanceProfiles");
    return [...this.profiles].map(([name, profile]) => written(name, profile));
  }

  async createInstanceProfile(input: Parameters<IamApi["createInstanceProfile"]>[0]): Promise<void> {
    this.#begin("createInstanceProfile");
    const tags = Object.fromEntries((input.Tags ?? []).map(({ Key = "", Value = "" }) => [Key, Value]));
    this.profiles.set(input.InstanceProfileName ?? "", { path: input.Path ?? "/", tags, role: undefined });
  }

  async deleteInstanceProfile(name: string): Promise<void> {
    this.#begin("deleteInstanceProfile");
    if (this.#find(name).role !== undefined) throw awsError("DeleteConflict", "must remove roles first");
    this.profiles.delete(name);
  }

  async addRoleToInstanceProfile(input: Parameters<IamApi["addRoleToInstanceProfile"]>[0]): Promise<void> {
    this.#begin("addRoleToInstanceProfile");
    const profile = this.#find(input.InstanceProfileName);
    const role = input.RoleName ?? "";
    if (!this.roles.has(role)) throw awsError("NoSuchEntity", `The role with name ${role} cannot be found.`, 404);
    if (profile.role !== undefined) throw awsError("LimitExceeded", "one role is enough");
    profile.role = role;
  }

  async removeRoleFromInstanceProfile(input: Parameters<IamApi["removeRoleFromInstanceProfile"]>[0]): Promise<void> {
    this.#begin("removeRoleFromInstanceProfile");
    this.#find(input.InstanceProfileName).role = undefined;
  }

  #begin(call: keyof IamApi): void {
    this.calls.push(call);
    const failure = this.failures.get(call);
    if (failure !== undefined) throw failure;
  }

  #find(name = ""): Profile {
    const profile = this.profiles.get(name);
    if (profile === undefined) throw awsError("NoSuchEntity", `Instance Profile ${name} cannot be found.`, 404);
    return profile;
  }
}

function written(name: string, { path, role }: Profile) {
  const roles = role === undefined ? [] : [{ RoleName: role, Path: "/", RoleId: "", Arn: "", CreateDate: undefined }];
  return {
    InstanceProfileName: name,
    Path: path,
    Roles: roles,
    InstanceProfileId: name,
    Arn: "",
    CreateDate: undefined,
  };
}
