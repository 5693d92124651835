import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const CONFIG = `[tsa]
default_tsa = own
[own]
serial = serial
signer_cert = tsa.pem
certs = tsa.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
tsa_name = yes
ess_cert_id_chain = no
ess_cert_id_alg = sha256
`;

/** FakeTsa is a time stamp authority on loopback, played by openssl. */
export interface FakeTsa {
  readonly url: string;
  /** Its certificate, and a directory for files of the test. */
  readonly pem: string;
  readonly folder: string;
  /** What it answers instead of a time stamp, from now on; null for a time stamp. */
  answer: { readonly status: number; readonly body: string } | null;
  readonly asked: number;
}

/** startTsa starts one that ends with its test. */
export async function startTsa(t: TestContext): Promise<FakeTsa> {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-tsa-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'tsa.key'];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', ...key, '-out', 'tsa.pem', '-days', '10', '-subj', '/CN=Fake time stamps'],
      ...['-addext', 'extendedKeyUsage=critical,timeStamping'],
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  writeFileSync(join(folder, 'tsa.cnf'), CONFIG);
  writeFileSync(join(folder, 'serial'), '01\n');
  let asked = 0;
  const tsa = {
    pem: readFileSync(join(folder, 'tsa.pem'), 'utf8'),
    ...{ folder, answer: null as FakeTsa['answer'] },
    get asked() {
      return asked;
    },
  };
  const server = createServer((call, reply) => {
    const chunks: Buffer[] = [];
    call.on('data', (chunk: Buffer) => chunks.push(chunk));
    call.on('end', () => {
      asked += 1;
      if (tsa.answer !== null) return void reply.writeHead(tsa.answer.status).end(tsa.answer.body);
      writeFileSync(join(folder, 'query.tsq'), Buffer.concat(chunks));
      const args = ['ts', '-reply', '-queryfile', 'query.tsq', '-config', 'tsa.cnf', '-out', 'reply.tsr'];
      execFile('openssl', args, { cwd: folder }, (error) => {
        if (error !== null) return void reply.writeHead(500).end(error.message);
        reply.writeHead(200, { 'content-type': 'application/timestamp-reply' });
        reply.end(readFileSync(join(folder, 'reply.tsr')));
      });
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return Object.assign(tsa, { url: `http://127.0.0.1:${port}/tsa` });
}
