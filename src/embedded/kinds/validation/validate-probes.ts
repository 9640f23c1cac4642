import type { Container, Probe } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required } from "../../../core/api/schema/refusals.ts";
import { checkNotNegative, invalid, invalidForEach, notSupported } from "../refusals.ts";
import { headerNameProblems, portNameProblems, portNumberProblems } from "../value-rules.ts";

interface Handler {
  exec?: { command?: string[] };
  httpGet?: { path?: string; port: number | string; scheme?: string; httpHeaders?: { name: string }[] };
  tcpSocket?: { port: number | string };
  grpc?: { port: number };
  sleep?: { seconds: number };
}

/** Probes and hooks, for containers that run as long as the pod. */
export function validateHandlers(container: Container, gracePeriod: number | undefined, path: string): FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const errors: FieldError[] = [];
  for (const hook of ["postStart", "preStop"] as const) {
    const handler = lifecycle?.[hook];
    if (handler !== undefined) errors.push(...validateHandler(handler, gracePeriod, `${path}.lifecycle.${hook}`));
  }
  errors.push(...validateOnceSucceeding(livenessProbe, gracePeriod, `${path}.livenessProbe`));
  if (readinessProbe !== undefined) {
    const probePath = `${path}.readinessProbe`;
    errors.push(...validateProbe(readinessProbe, gracePeriod, probePath));
    const seconds = readinessProbe.terminationGracePeriodSeconds;
    if (seconds !== undefined) {
      errors.push(
        invalid(`${probePath}.terminationGracePeriodSeconds`, seconds, "must not be set for readinessProbes"),
      );
    }
  }
  return [...errors, ...validateOnceSucceeding(startupProbe, gracePeriod, `${path}.startupProbe`)];
}

function validateOnceSucceeding(probe: Probe | undefined, gracePeriod: number | undefined, path: string): FieldError[] {
  if (probe === undefined) return [];
  const errors = validateProbe(probe, gracePeriod, path);
  if (probe.successThreshold !== 1)
    errors.push(invalid(`${path}.successThreshold`, probe.successThreshold, "must be 1"));
  return errors;
}

function validateProbe(probe: Probe, gracePeriod: number | undefined, path: string): FieldError[] {
  const errors = validateHandler(probe as Handler, gracePeriod, path);
  for (const field of [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ] as const) {
    errors.push(...checkNotNegative(`${path}.${field}`, probe[field]));
  }
  const seconds = probe.terminationGracePeriodSeconds;
  if (seconds !== undefined && seconds <= 0) {
    errors.push(invalid(`${path}.terminationGracePeriodSeconds`, seconds, "must be greater than 0"));
  }
  return errors;
}

function validateHandler(handler: Handler, gracePeriod: number | undefined, path: string): FieldError[] {
  const kinds = (["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const).filter(
    (kind) => handler[kind] !== undefined,
  );
  const [first, ...others] = kinds;
  if (first === undefined) return [required(path, "must specify a handler type")];
  return [
    ...validateAction(handler, gracePeriod, `${path}.${first}`),
    ...others.map((kind) => forbidden(`${path}.${kind}`, "may not specify more than 1 handler type")),
  ];
}

function validateAction(handler: Handler, gracePeriod: number | undefined, path: string): FieldError[] {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (exec !== undefined) return (exec.command ?? []).length === 0 ? [required(`${path}.command`)] : [];
  if (httpGet !== undefined) return validateHttpGet(httpGet, path);
  if (tcpSocket !== undefined) return validatePort(tcpSocket.port, `${path}.port`);
  if (grpc !== undefined) return validatePort(grpc.port, `${path}.port`);
  if (sleep === undefined || gracePeriod === undefined) return [];
  const isTooLong = sleep.seconds < 0 || sleep.seconds > gracePeriod;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  return isTooLong ? [invalid(path, sleep.seconds, detail)] : [];
}

function validateHttpGet(httpGet: NonNullable<Handler["httpGet"]>, path: string): FieldError[] {
  const errors = httpGet.path ? [] : [required(`${path}.path`)];
  errors.push(...validatePort(httpGet.port, `${path}.port`));
  if (httpGet.scheme !== "HTTP" && httpGet.scheme !== "HTTPS") {
    errors.push(notSupported(`${path}.scheme`, httpGet.scheme ?? "", ["HTTP", "HTTPS"]));
  }
  for (const { name = "" } of httpGet.httpHeaders ?? []) {
    errors.push(...invalidForEach(`${path}.httpHeaders`, name, headerNameProblems(name)));
  }
  return errors;
}

/** A number, or the name of a port of the container. */
export function validatePort(port: number | string, field: string): FieldError[] {
  if (typeof port === "string") return invalidForEach(field, port, portNameProblems(port));
  return invalidForEach(field, port ?? 0, portNumberProblems(port ?? 0));
}
