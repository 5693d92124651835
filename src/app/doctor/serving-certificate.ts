import { X509Certificate } from 'node:crypto';
import type { SeenWebhook } from '../../doctor/index.ts';
import type { Secret } from './objects.ts';

/** Serving is the certificate that the webhook shows. */
export interface Serving {
  readonly certificate: X509Certificate;
  readonly endsAt: number;
  readonly names: readonly string[];
}

/** readServing reads the certificate in a Secret; null where there is none that can be read. */
export function readServing(secret: Secret | null): Serving | null {
  const text = Buffer.from(secret?.data?.['tls.crt'] ?? '', 'base64').toString('utf8');
  const [certificate] = certificatesIn(text) ?? [];
  if (certificate === undefined) return null;
  const names = (certificate.subjectAltName ?? '').split(/, */).flatMap((name) => {
    const [, host] = /^DNS:(.+)$/.exec(name) ?? [];
    return host === undefined ? [] : [host];
  });
  return { certificate, endsAt: certificate.validToDate.getTime(), names };
}

/** judgeBundle tells whether a caBundle is the authority of the serving certificate. */
export function judgeBundle(caBundle: string | undefined, serving: Serving | null): SeenWebhook['caBundle'] {
  if (caBundle === undefined || caBundle === '') return 'missing';
  const authorities = certificatesIn(Buffer.from(caBundle, 'base64').toString('utf8'));
  if (authorities === null || authorities.length === 0) return 'unreadable';
  if (serving === null) return 'unknown';
  const { certificate } = serving;
  return authorities.some(
    (one) => certificate.verify(one.publicKey) || one.fingerprint256 === certificate.fingerprint256,
  )
    ? 'ok'
    : 'other';
}

/** Null where one of them cannot be read. */
function certificatesIn(text: string): readonly X509Certificate[] | null {
  const parts = text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  try {
    return parts.map((part) => new X509Certificate(part));
  } catch {
    return null;
  }
}
