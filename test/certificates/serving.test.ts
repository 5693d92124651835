import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { certificateFiles, certificateMaker } from '../../src/adapters/certificates/index.ts';
import { ServingCertificates, type ServingPair, type ServingSource } from '../../src/certificates/index.ts';
import { NAMES, SILENT } from './cluster.ts';

const DAY = 86_400_000;

async function makePair(to = Date.now() + 30 * DAY): Promise<ServingPair> {
  const from = Date.now() - DAY;
  const authority = await certificateMaker.makeAuthority({ from, to });
  return certificateMaker.makeServing(authority, NAMES, { from, to });
}

function follow(source: ServingSource, at = Date.now()) {
  const taken: ServingPair[] = [];
  const said: string[] = [];
  const measured: number[] = [];
  const time = { at };
  const serving = new ServingCertificates({
    source,
    replace: (pair) => void taken.push(pair),
    clock: { now: () => time.at },
    log: { ...SILENT, warn: (text) => void said.push(text), error: (text) => void said.push(text) },
    measure: (notAfter) => void measured.push(notAfter),
  });
  return { serving, taken, said, measured, time };
}

test('a certificate is taken once, and another when there is one', async () => {
  const [first, second] = [await makePair(), await makePair()];
  let now: ServingPair | null = null;
  const { serving, taken, measured } = follow({ read: async () => now });
  await serving.run();
  assert.deepEqual(taken, []);
  now = first;
  await serving.run();
  await serving.run();
  now = second;
  await serving.run();
  assert.deepEqual(taken, [first, second]);
  assert.equal(measured[1], (serving.endsAt ?? 0) / 1000);
});

test('one that cannot be used is a fault of the run, and the one in use stays', async () => {
  const [first, second] = [await makePair(), await makePair()];
  let now: ServingPair | null = first;
  const { serving, taken } = follow({ read: async () => now });
  await serving.run();
  now = { cert: second.cert, key: first.key };
  await assert.rejects(serving.run());
  now = null;
  await serving.run();
  assert.deepEqual(taken, [first]);
});

test('an end that is near is told two days before, and the end itself', async () => {
  const ends = Date.now() + 30 * DAY;
  const pair = await makePair(ends);
  for (const [left, expected] of [
    [3 * DAY, /^$/],
    [DAY, /ends soon/],
    [-1, /has ended/],
  ] as const) {
    const { serving, said } = follow({ read: async () => pair }, ends - left);
    await serving.run();
    assert.match(said.join(), expected);
  }
});

test('a near end is told once an hour, however often the source is read', async () => {
  const ends = Date.now() + 30 * DAY;
  const pair = await makePair(ends);
  const { serving, said, time } = follow({ read: async () => pair }, ends - 5 * 3_600_000);
  for (; time.at < ends + 3_600_000; time.at += 60_000) await serving.run();
  assert.equal(said.filter((text) => text.includes('soon')).length, 5);
  assert.equal(said.filter((text) => text.includes('ended')).length, 1);
});

test('files of a mounted Secret are read as one, and again when the mount changes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ipo-certificates-'));
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const source = certificateFiles(cert, key);
  try {
    assert.equal(await source.read(), null);
    await symlink('..data/tls.crt', cert);
    await symlink('..data/tls.key', key);
    // As the kubelet swaps the whole of it: a link to another folder, put in the place of the old one.
    const mount = async (name: string, pair: ServingPair): Promise<void> => {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'tls.crt'), pair.cert);
      await writeFile(join(folder, name, 'tls.key'), pair.key);
      await symlink(name, join(folder, '..data_tmp'));
      await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    };
    const [first, second] = [await makePair(), await makePair()];
    await mount('..1', first);
    const { serving, taken } = follow(source);
    await serving.run();
    await mount('..2', second);
    await serving.run();
    assert.deepEqual(taken, [first, second]);
    await writeFile(join(folder, '..2', 'tls.key'), first.key);
    await assert.rejects(serving.run());
    await rm(join(folder, '..data'));
    await serving.run();
    assert.deepEqual(taken, [first, second]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
