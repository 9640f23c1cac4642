import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ConfigSection } from "./config-section.ts";

/** What a field points at; relative paths begin at the file that holds the field. */
export function readPointedFile(section: ConfigSection, field: string): string | undefined {
  const path = section.text(field);
  if (path === undefined) return undefined;
  const file = resolve(dirname(section.place.file), path);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw section.mistake(
      field,
      `points to ${file}, which cannot be read (${code}); check the path and who may read it`,
    );
  }
}

export type PemKind = "certificate" | "key";

/** From `field-data` in base64, or else from the file that `field` points to. */
export function readPem(section: ConfigSection, field: string, kind: PemKind): string | undefined {
  const dataField = `${field}-data`;
  const data = section.text(dataField);
  const pem = data === undefined ? readPointedFile(section, field) : Buffer.from(data, "base64").toString();
  if (pem === undefined) return undefined;
  const usedField = data === undefined ? field : dataField;
  if (isPem(pem, kind)) return pem;
  const form = data === undefined ? "a file in PEM" : "PEM in base64";
  throw section.mistake(usedField, `holds no ${kind}; it must be ${form}`);
}

export function isPem(pem: string, kind: PemKind): boolean {
  try {
    if (kind === "certificate") new X509Certificate(pem);
    else createPrivateKey(pem);
    return true;
  } catch {
    return false;
  }
}
