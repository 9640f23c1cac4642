import type { FieldError } from "../../core/api/field-error.ts";
import type { JsonObject } from "../../core/api/schema/json.ts";
import type { OwnershipSchema } from "../api/patch/ownership-schema.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import type { Decoded } from "../schema/decode.ts";

/** All that the API server must know about a resource that it serves; the verbs themselves are the same for all. */
export interface ResourceDefinition {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isNamespaced: boolean;
  /** The name of its type in the OpenAPI document, as in `io.k8s.api.core.v1.Pod`; absent for custom resources. */
  readonly typeName?: string;
  /** Reads what somebody sent; throws a DecodeError. Only for custom resources, which have a schema instead of a type. */
  readonly decode?: (value: JsonObject, repeated?: ReadonlySet<string>) => Decoded;
  /** What the OpenAPI document says of a custom resource. */
  readonly openApiSchema?: JsonObject;
  /** For server-side apply of a custom resource. */
  readonly ownership?: OwnershipSchema;
  /** Where it is not the kind with `List` behind it. */
  readonly listKind?: string;
  /** Whether a delete answers with the object that is gone and not with a mere success. */
  readonly returnsDeletedObject?: boolean;
  /** What may be done with it, where that is not everything. */
  readonly verbs?: readonly string[];
  readonly hasStatus: boolean;
  /** A node says how it is when it registers; every other kind begins with the status that the server gives it. */
  readonly keepsStatusOnCreate?: boolean;
  /** Whether a PUT of an object that does not exist creates it. */
  readonly canCreateByUpdate?: boolean;
  /** Whether an update must say which version it replaces. */
  readonly requiresVersion?: boolean;
  /** How long the object may take to end, given what the request asks for; 0 at once. Absent for all that ends at once. */
  readonly gracePeriodSeconds?: (object: KubeObject, requested: number | undefined) => number;
  /** Why an object may not be deleted at all. */
  readonly refuseDelete?: (object: KubeObject) => string | undefined;
  /** Whether what it owns is left alone when it is deleted and nobody says otherwise. */
  readonly orphansByDefault?: boolean;
  /** Said to whoever deletes it and does not say what becomes of what it owns. */
  readonly deleteWarning?: string;
  /** Last changes to an object that is marked for deletion. */
  readonly prepareDelete?: (draft: Draft) => void;
  /** Whether writes of anything but metadata and status count up `metadata.generation`. */
  readonly hasGeneration: boolean;
  /** Whether annotations count like its spec. */
  readonly countsAnnotations?: boolean;
  /** Another resource whose objects these are; all other members of this definition are given its objects. */
  readonly storedAs?: StoredAs;
  /** Where a scale is read and written, for what has the subresource `scale`. */
  readonly scale?: ScalePaths;
  /** Columns of `kubectl get`, after the schema of a Table. */
  readonly columns: readonly Column[];
  /** What a Table says about a row besides its cells: that a pod has ended. */
  readonly rowConditions?: (object: KubeObject) => readonly RowCondition[];
  /** What a field selector may ask for besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields?: (object: KubeObject) => Readonly<Record<string, string>>;
  /** How a name must look; DNS subdomain where absent. */
  readonly nameRule?: NameRule;
  /** Fills in what the writer left out; may change the draft. Runs on create and on update. */
  readonly setDefaults?: (draft: Draft) => void;
  /** Last changes to a new object (a fresh status, a phase), after defaults and before validation. */
  readonly prepareCreate?: (draft: Draft) => void;
  /** Last changes to a write of an object that exists: what may not be changed is silently put back. */
  readonly prepareUpdate?: (draft: Draft, old: KubeObject) => void;
  /** The same for a write of the status alone. */
  readonly prepareStatus?: (draft: Draft, old: KubeObject) => void;
  readonly validate?: (draft: Draft) => FieldError[];
  readonly validateUpdate?: (draft: Draft, old: KubeObject) => FieldError[];
  readonly validateStatus?: (draft: Draft, old: KubeObject) => FieldError[];
  /** Messages for the Warning header of a write. */
  readonly warn?: (draft: Draft) => string[];
}

export type NameRule = "subdomain" | "label" | "path-segment" | "dns1035-label";

export interface StoredAs {
  readonly group: string;
  readonly version: string;
  /** Top-level fields that are stored under another name, by the name on the wire. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface ScalePaths {
  /** As in `.spec.replicas`. */
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** A selector as text for custom resources, or a LabelSelector for workloads. */
  readonly labelSelector?: string;
}

export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: "" | "name" | "int32" | "int64" | "date-time" | "date" | "byte" | "double";
  readonly description: string;
  /** 0 shows always, 1 with `-o wide`. */
  readonly priority: number;
  /** `now` in milliseconds: ages are rendered by the server for all but custom resources. */
  readonly cell: (object: KubeObject, now: number) => unknown;
}
