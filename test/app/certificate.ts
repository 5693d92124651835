import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** withoutOpenssl says why no certificate can be made; false where one can. */
export const withoutOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'openssl is not at hand to make a certificate';
  }
})();

/** makeCertificate makes a certificate for loopback, signed by itself, and gives the paths of its files. */
export function makeCertificate(folder: string, name: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
    ].concat(['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert]),
    { stdio: 'ignore' },
  );
  return { cert, key };
}
