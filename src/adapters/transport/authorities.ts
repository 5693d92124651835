import { X509Certificate } from 'node:crypto';

/** readAuthorities gives the certificates of a PEM text; null unless there is one at least and each can be read: TLS leaves out in silence what it cannot read. */
export function readAuthorities(pem: string): readonly string[] | null {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const begun = pem.match(/-----BEGIN /g) ?? [];
  if (certificates.length === 0 || certificates.length !== begun.length) return null;
  try {
    return certificates.map((certificate) => new X509Certificate(certificate).toString());
  } catch {
    return null;
  }
}
