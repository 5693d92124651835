import { join } from 'node:path';
import type { PullPlace } from '../../image/index.ts';
import { ScannerError } from '../../scan/index.ts';
import { withSystemAuthorities } from '../program/index.ts';

const AUTHORITIES = 'authorities.pem';

/**
 * checkPlainHttp refuses what would weaken more than one registry: what lets Trivy call a registry over plain HTTP (`--insecure`) also has
 * it call its own server without looking at its certificate, and show it the token; and an attacker in between could leave findings out.
 * Throws ScannerError `image`.
 */
export function checkPlainHttp(
  { host, plainHttp }: Pick<PullPlace, 'host' | 'plainHttp'>,
  server: { readonly url: string } | null,
): void {
  if (!plainHttp || server === null || server.url.startsWith('http://')) return;
  throw new ScannerError(
    'image',
    `${host} is called over plain HTTP, for which Trivy would not verify its server at ${new URL(server.url).host} either`,
    { reason: 'refused', hint: 'Let the registry speak TLS (caFile), or scan without scanner.server' },
  );
}

/**
 * takesAuthorities tells whether a version has the flag `--cacert`, which came with 0.68; before it, only SSL_CERT_FILE names authorities.
 */
function takesAuthorities(version: string): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)\./.exec(version) ?? [];
  return Number(major) > 0 || Number(minor) >= 68;
}

/** TrustGiven is how a run of Trivy is told of authorities: by flags behind its command, or by its environment. */
export interface TrustGiven {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** giveTrust writes authorities (PEM; null for none) for a run, as its version takes them: beside those of the system in either way. */
export async function giveTrust(
  authorities: string | null,
  version: string,
  env: Readonly<Record<string, string | undefined>>,
  keep: (name: string, text: string) => Promise<string>,
): Promise<TrustGiven> {
  if (authorities === null) return { flags: [], env: {} };
  const isFlag = takesAuthorities(version);
  const text = isFlag ? authorities : await withSystemAuthorities(authorities, env);
  const path = join(await keep(AUTHORITIES, text), AUTHORITIES);
  return isFlag ? { flags: ['--cacert', path], env: {} } : { flags: [], env: { SSL_CERT_FILE: path } };
}
