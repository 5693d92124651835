import { readFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { ServingCertificate } from '../../src/api/admission/index.ts';
import { makeCertificate } from '../app/certificate.ts';

/** madeCertificate makes a serving certificate for loopback. */
export function madeCertificate(name: string): ServingCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-webhook-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const { cert, key } = makeCertificate(folder, name);
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}
