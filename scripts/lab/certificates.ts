// Certificates of one control plane, made fresh for each and gone with its folder.
import "reflect-metadata";
import { KeyObject, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const lifeMs = 7 * 24 * 3600 * 1000;

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Certificates {
  readonly authority: string;
  readonly server: KeyPair;
  readonly admin: KeyPair;
  readonly serviceAccountKey: string;
  readonly serviceAccountPublicKey: string;
}

/** All in PEM. */
export async function createCertificates(): Promise<Certificates> {
  const authorityKeys = await generateKeys();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity("01"),
    name: "CN=lab-ca",
    keys: authorityKeys,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  const issue = async (subject: string, serialNumber: string): Promise<KeyPair> => {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity(serialNumber),
      subject,
      issuer: authority.subject,
      publicKey: keys.publicKey,
      signingKey: authorityKeys.privateKey,
      extensions: [
        new x509.SubjectAlternativeNameExtension([
          { type: "dns", value: "localhost" },
          { type: "dns", value: "kubernetes.default" },
          { type: "ip", value: "127.0.0.1" },
        ]),
      ],
    });
    return { certificate: certificate.toString("pem"), key: pemOf("pkcs8", keys.privateKey) };
  };
  const serviceAccount = await generateKeys();
  return {
    authority: authority.toString("pem"),
    server: await issue("CN=kube-apiserver", "02"),
    admin: await issue("O=system:masters, CN=admin", "03"),
    serviceAccountKey: pemOf("pkcs8", serviceAccount.privateKey),
    serviceAccountPublicKey: pemOf("spki", serviceAccount.publicKey),
  };
}

function validity(serialNumber: string) {
  const now = Date.now();
  return {
    serialNumber,
    notBefore: new Date(now - 60_000),
    notAfter: new Date(now + lifeMs),
    signingAlgorithm: algorithm,
  };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

function pemOf(type: "pkcs8" | "spki", key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type, format: "pem" }).toString();
}
