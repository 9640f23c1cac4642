import { SignatureV4 } from "@smithy/signature-v4";
import type { ManagedResource, ZonalShiftApi } from "./aws-api.ts";

type SignerOptions = ConstructorParameters<typeof SignatureV4>[0];

export interface ZonalShiftApiOptions {
  readonly region: string;
  /** Undefined for AWS itself. */
  readonly endpoint: string | undefined;
  readonly userAgent: string;
  readonly credentials: SignerOptions["credentials"];
  readonly sha256: SignerOptions["sha256"];
}

const service = "arc-zonal-shift";
const timeoutMilliseconds = 10_000;

/** AWS has an SDK for this service that registries lack; we need one call of it, which is a signed GET. */
export function openZonalShiftApi(options: ZonalShiftApiOptions): ZonalShiftApi {
  const { region, credentials, sha256, userAgent } = options;
  const signer = new SignatureV4({ service, region, credentials, sha256 });
  const base = new URL(options.endpoint ?? endpointOf(region));
  return {
    async getManagedResource(arn) {
      const path = `/managedresources/${encodeURIComponent(arn)}`;
      const { headers } = await signer.sign({
        method: "GET",
        protocol: base.protocol,
        hostname: base.hostname,
        path,
        query: {},
        headers: { host: base.host, "user-agent": userAgent },
      });
      // The host is what fetch writes itself, and the same.
      const { host: _, ...others } = headers;
      const signal = AbortSignal.timeout(timeoutMilliseconds);
      const response = await fetch(new URL(path, base), { headers: others, signal, redirect: "error" });
      const text = await response.text();
      if (!response.ok) throw new ZonalShiftError(response, text);
      return readManagedResource(JSON.parse(text));
    },
  };
}

function endpointOf(region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

/** Looks like the errors of the SDK, so that it is understood like them. */
class ZonalShiftError extends Error {
  readonly Code: string;
  readonly $metadata: { readonly httpStatusCode: number };

  constructor({ status, headers }: Response, text: string) {
    const said = fieldsOf(text);
    const type = headers.get("x-amzn-errortype") ?? said.__type ?? said.code ?? "";
    const message = said.message ?? said.Message;
    super(typeof message === "string" ? message : `ARC zonal shift answered ${status}`);
    // As in "ResourceNotFoundException:http://…" or "com.amazonaws…#ResourceNotFoundException".
    this.Code = String(type).replace(/:.*$/, "").replace(/^.*#/, "") || `HTTP${status}`;
    this.$metadata = { httpStatusCode: status };
  }
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

/** What is not as documented is left out. */
export function readManagedResource(json: unknown): ManagedResource {
  const { zonalShifts, autoshifts } = asObject(json);
  return { zonalShifts: shiftsOf(zonalShifts), autoshifts: shiftsOf(autoshifts) };
}

function shiftsOf(json: unknown): ManagedResource["zonalShifts"] {
  if (!Array.isArray(json)) return [];
  return json.map(asObject).flatMap(({ awayFrom, appliedStatus, expiryTime }) => {
    if (typeof awayFrom !== "string" || awayFrom === "") return [];
    const expiresAt = typeof expiryTime === "number" ? expiryTime * 1000 : undefined;
    return [{ awayFrom, isApplied: appliedStatus === "APPLIED", expiresAt }];
  });
}

function asObject(json: unknown): Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : {};
}
