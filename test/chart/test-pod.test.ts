import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { certificateMaker } from '../../src/adapters/certificates/index.ts';
import { CHART } from './helm.ts';

const SCRIPT = readFileSync(join(CHART, 'files/test.mjs'), 'utf8');

/** Runs what the pod of `helm test` runs, against services on loopback; gives its exit code and what it printed. */
async function runPod(t: TestContext, ready: number, name: string): Promise<{ code: number; said: string }> {
  const api = createServer((_, response) => response.writeHead(ready).end('not ready: no database'));
  const life = { from: Date.now(), to: Date.now() + 3_600_000 };
  const authority = await certificateMaker.makeAuthority(life);
  const webhook = createTlsServer(
    await certificateMaker.makeServing(authority, [name], life),
    (request, response) => {
      let text = '';
      request.on('data', (part) => (text += String(part)));
      request.on('end', () => {
        const { uid, dryRun } = (JSON.parse(text) as { request: { uid: string; dryRun: boolean } }).request;
        response.end(JSON.stringify({ response: { uid, allowed: dryRun } }));
      });
    },
  );
  for (const server of [api, webhook]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
  }
  const port = (server: typeof api | typeof webhook) => (server.address() as AddressInfo).port;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--input-type=module', '--eval', SCRIPT],
      {
        env: {
          API: `http://127.0.0.1:${port(api)}`,
          WEBHOOK: `https://localhost:${port(webhook)}`,
          WEBHOOK_PATH: '/admission/pods/Zm9vYmFyYmF6cXV4MTIzNA',
          CA: authority.cert,
        },
      },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
    );
  });
}

test('helm test passes when the API is ready and the webhook answers a dry run under its name', async (t) => {
  const { code, said } = await runPod(t, 200, 'localhost');
  assert.equal(code, 0, said);
  assert.match(said, /the API is ready\nthe webhook answered: allowed true/);
});

test('helm test fails when the API is not ready', async (t) => {
  const { code, said } = await runPod(t, 503, 'localhost');
  assert.equal(code, 1);
  assert.match(said, /the API is not ready: 503 not ready: no database/);
});

test('helm test fails when the certificate is for another name', async (t) => {
  const { code, said } = await runPod(t, 200, 'elsewhere.svc');
  assert.equal(code, 1);
  assert.match(said, /ERR_TLS_CERT_ALTNAME_INVALID/);
});
