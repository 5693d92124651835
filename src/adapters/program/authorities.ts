import { readFile } from 'node:fs/promises';

/** Where systems keep the authorities that they trust, as programs in Go look for them. */
const BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/**
 * withSystemAuthorities gives authorities (PEM) together with those of the system, or of the file that the environment names in their
 * place: a program in Go takes SSL_CERT_FILE for all that there are, and may be led on to a host that another one signed.
 */
export async function withSystemAuthorities(
  authorities: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const given = env['SSL_CERT_FILE'];
  for (const path of given === undefined || given === '' ? BUNDLES : [given]) {
    const system = await readFile(path, 'utf8').catch(() => null);
    if (system !== null) return `${authorities.trimEnd()}\n${system}`;
  }
  return authorities;
}
