import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { readTls } from '../../src/app/running/tls-files.ts';
import { renewing } from '../../src/app/running/renew-tls.ts';
import { keptLog, startApi } from '../api/service.ts';
import { makeCertificate, withoutOpenssl } from './certificate.ts';
import { scratchDirectory } from './running.ts';

/** The name in the certificate that a server shows. */
function nameAt(url: string): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false }, () => {
      const { subject } = socket.getPeerCertificate();
      socket.end();
      resolve(String(subject.CN));
    });
    socket.on('error', reject);
  });
}

test(
  'changed certificate files are taken, and such as cannot be used are not',
  { skip: withoutOpenssl },
  async (t) => {
    const folder = scratchDirectory(t);
    const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
    const [one, two] = [makeCertificate(folder, 'one'), makeCertificate(folder, 'two')];
    copyFileSync(one.cert, files.certFile);
    copyFileSync(one.key, files.keyFile);
    const first = await readTls(files);
    const { api, url } = await startApi(t, [], { tls: first });
    const log = keptLog();
    const renew = renewing(files, first, () => api, log);
    await renew();
    assert.equal(await nameAt(url), 'one');
    assert.equal(log.lines.length, 0);

    writeFileSync(files.certFile, readFileSync(two.cert));
    await assert.rejects(renew(), { code: 'invalid_config' }, 'the key is still the old one');
    assert.equal(await nameAt(url), 'one');
    copyFileSync(two.key, files.keyFile);
    await renew();
    assert.equal(await nameAt(url), 'two');
    assert.equal(log.lines[0]?.message, 'certificate renewed');
  },
);

test('a certificate that ends soon is said', { skip: withoutOpenssl }, async (t) => {
  const folder = scratchDirectory(t);
  const { cert, key } = makeCertificate(folder, 'one');
  const pair = await readTls({ certFile: cert, keyFile: key });
  const log = keptLog();
  await renewing(
    { certFile: cert, keyFile: key },
    pair,
    () => null,
    log,
    () => pair.endsAt - 3_600_000,
  )();
  assert.deepEqual(
    log.lines.map(({ message }) => message),
    ['the certificate ends soon'],
  );
  await renewing(
    { certFile: cert, keyFile: key },
    pair,
    () => null,
    log,
    () => pair.endsAt,
  )();
  assert.equal(log.lines[1]?.message, 'the certificate has ended; nobody can call the service');
});
