import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { loadConfig } from '../../src/app/config/config.ts';
import { carryConfig } from '../../src/app/processes/carried-config.ts';
import type { FromPart, ToPart } from '../../src/app/processes/part-messages.ts';
import { TOPICS } from '../../src/app/webhook/acts.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { makeCertificate, withoutOpenssl } from '../app/certificate.ts';
import { builtDaemon } from './built.ts';
import { freePort, Reviewing, statusOf } from './parts.ts';

const skip = withoutOpenssl;

/** A webhook's part whose supervisor this process is. */
async function openPart(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-takes-over-'));
  const { cert, key } = makeCertificate(folder, 'webhook');
  const port = await freePort();
  const data = join(folder, 'data');
  const config = await loadConfig({
    file: {
      name: 'ipo.json',
      text: JSON.stringify({
        data,
        webhook: {
          listen: `127.0.0.1:${port}`,
          certificates: { source: 'files', certFile: cert, keyFile: key },
        },
      }),
    },
    env: {},
  });
  mkdirSync(data, { mode: 0o700 });
  // As the service's part does, which is started first.
  await (await openStore({ url: `sqlite:${join(data, 'ipo.db')}` })).close();
  const program = join(dirname(await builtDaemon()), 'webhook-part.cjs');
  const running = new Set<ChildProcess>();
  t.after(() => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const serving = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  const start = (
    lives: number,
  ): { child: ChildProcess; send(message: ToPart): void; until(kind: FromPart['kind']): Promise<void> } => {
    const child = fork(program, [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    running.add(child);
    const told: string[] = [];
    const send = (message: ToPart): void => void child.send(message);
    child.on('message', (message: FromPart) => {
      told.push(message.kind);
      if (message.kind !== 'open') return;
      send({ kind: 'there' });
      const given = { topic: TOPICS.certificate, put: [['serving', serving]], gone: [], whole: true };
      send({ kind: 'relay', message: { kind: 'tell', act: 'state', given } });
    });
    send({ kind: 'begin', setup: { config: carryConfig(config), lives } });
    return {
      ...{ child, send },
      until: async (kind) => {
        while (!told.includes(kind)) await once(child, 'message');
      },
    };
  };
  return { port, start, url: `sqlite:${join(data, 'ipo.db')}`, file: join(data, 'ipo.db') };
}

test('a webhook that takes over while the database is locked answers from the spool', { skip }, async (t) => {
  const part = await openPart(t);
  const first = part.start(0);
  await first.until('started');
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const other = new Database(part.file);
  other.exec('begin immediate');
  const second = part.start(1);
  const reviewing = new Reviewing(part.port, 2);
  t.after(() => reviewing.end());
  await reviewing.answered(5);
  other.exec('rollback');
  other.close();
  await reviewing.answered(5);
  await reviewing.end();
  second.send({ kind: 'stop', signal: 'SIGTERM' });
  await once(second.child, 'exit');
  const store = await openStore({ url: part.url });
  t.after(() => store.close());
  const { size } = await store.read.selectFrom('ledger_head').select('size').executeTakeFirstOrThrow();
  assert.equal(size, reviewing.said.filter(({ status }) => status === 200).length);
});

test(
  'a webhook that takes over while the file of the database is away makes none in its place',
  { skip },
  async (t) => {
    const part = await openPart(t);
    const first = part.start(0);
    await first.until('started');
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    renameSync(part.file, `${part.file}.away`);
    const { child } = part.start(1);
    await once(child, 'exit');
    assert.equal(existsSync(part.file), false);
  },
);

test('a signal that comes as soon as a part runs ends it', { skip }, async (t) => {
  const part = await openPart(t);
  const { child, send } = part.start(0);
  send({ kind: 'stop', signal: 'SIGTERM' });
  const [code] = (await once(child, 'exit')) as [number];
  assert.equal(code, 0);
  assert.equal(await statusOf(part.port, '/livez'), null);
});
