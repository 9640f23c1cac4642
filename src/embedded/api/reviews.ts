import { isJsonObject } from "../../core/api/schema/json.ts";
import { methodNotAllowed } from "./api-error.ts";
import { type ApiAnswer, type ApiRequest, jsonAnswer } from "./api-request.ts";
import type { ResourcePath } from "./parse-target.ts";
import { readKindedBody } from "./read-object-body.ts";

const authentication = "authentication.k8s.io";
const authorization = "authorization.k8s.io";

/** Resources that are asked and answered but never stored. */
export const reviewResources = [
  { group: authentication, version: "v1", plural: "selfsubjectreviews", kind: "SelfSubjectReview" },
  { group: authorization, version: "v1", plural: "selfsubjectaccessreviews", kind: "SelfSubjectAccessReview" },
  { group: authorization, version: "v1", plural: "selfsubjectrulesreviews", kind: "SelfSubjectRulesReview" },
  { group: authorization, version: "v1", plural: "subjectaccessreviews", kind: "SubjectAccessReview" },
];

/** Who asks, and what they may do: everybody who gets this far is the one user, and may do everything. */
export function answerReview(request: ApiRequest, path: ResourcePath): ApiAnswer | undefined {
  const review = reviewResources.find(
    ({ group, version, plural }) => group === path.group && version === path.version && plural === path.plural,
  );
  if (review === undefined || path.name !== undefined) return undefined;
  if (request.method !== "POST") throw methodNotAllowed();
  const { group, kind } = review;
  const { value } = readKindedBody(request, { kind, typeName: kind });
  const spec = isJsonObject(value) && isJsonObject(value.spec) ? { spec: value.spec } : {};
  return jsonAnswer(201, { kind, apiVersion: `${group}/v1`, metadata: {}, ...spec, status: statusOf(kind) });
}

function statusOf(kind: string): object {
  switch (kind) {
    case "SelfSubjectReview":
      return { userInfo: { username: "admin", groups: ["system:masters", "system:authenticated"] } };
    case "SelfSubjectRulesReview":
      return {
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
        nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
        incomplete: false,
      };
    default:
      return { allowed: true };
  }
}
