import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { PartName } from '../../src/app/processes/part-messages.ts';
import { Supervisor } from '../../src/app/processes/supervisor.ts';
import { keptTimers } from '../../src/app/running/timers.ts';
import { keptLog } from '../api/service.ts';
import { scratchDirectory } from './running.ts';

/** A part that says what it hears, one line each, and does what FAULT_NAME says. */
const PROGRAM = `
const name = process.argv[1].includes('webhook') ? 'webhook' : 'service';
const fault = process.env['FAULT_' + name] ?? '';
const say = (text) => process.stdout.write(name + ' ' + process.pid + ' ' + text + '\\n');
const send = (message) => process.send(message, undefined, undefined, () => {});
process.on('disconnect', () => process.exit(3));
process.on('SIGTERM', () => {});
process.on('message', (message) => {
  if (message.kind === 'begin') {
    say('begins ' + message.setup.lives + ' ' + message.setup.config.text);
    if (fault === 'no start' || (fault === 'no other start' && message.setup.lives > 0)) process.exit(2);
    if (name === 'service' && fault !== 'migrates') send({ kind: 'migrated' });
    if (fault === 'migrates') return;
    if (fault === 'never open') return;
    send({ kind: 'open' });
    send({ kind: 'started' });
    if (fault !== 'silent' || message.setup.lives > 0) setInterval(() => send({ kind: 'beat' }), 50);
  } else if (message.kind === 'there') {
    say('there');
    if (name === 'webhook') send({ kind: 'relay', message: 'hello' });
    else
      for (const value of ['old', 'new']) {
        const given = { topic: 'topic', put: [['key', value]], gone: [], whole: true };
        send({ kind: 'relay', message: { kind: 'tell', act: 'state', given } });
      }
  } else if (message.kind === 'relay')
    say('hears ' + (typeof message.message === 'string' ? message.message : message.message.given.put[0][1]));
  else if (message.kind === 'gone') say('gone');
  else if (message.kind === 'stop') {
    say('stops');
    if (fault !== 'no end') process.exit(0);
  }
});
`;

interface Supervised {
  readonly supervisor: Supervisor;
  readonly code: Promise<number>;
  /** What parts said: the name of the part and its words. */
  readonly said: string[];
  readonly log: ReturnType<typeof keptLog>;
  pid(name: PartName): number;
  /** Waits until a line was said so often. */
  until(line: string, times?: number): Promise<void>;
}

/** Time passes a thousand times faster for what is waited for between the looks at the parts. */
function supervise(t: TestContext, env: Readonly<Record<string, string>> = {}, speed = 1): Supervised {
  const folder = scratchDirectory(t);
  const entries = Object.fromEntries(
    (['webhook', 'service'] as const).map((name) => {
      const file = join(folder, `${name}.cjs`);
      writeFileSync(file, PROGRAM);
      return [name, file];
    }),
  ) as Record<PartName, string>;
  const [said, log] = [[] as string[], keptLog()];
  const pids = new Map<string, number>();
  const supervisor = new Supervisor({
    ...{ entries, log, env: { PATH: process.env['PATH'] ?? '', ...env } },
    config: { text: 'data: x' },
    timers: { after: (ms, act) => keptTimers.after(ms / speed, act) },
    line: (line) => {
      const [name = '', pid = '', ...words] = line.split(' ');
      pids.set(name, Number(pid));
      said.push([name, ...words].join(' '));
    },
  });
  const code = supervisor.run();
  t.after(async () => {
    for (const pid of pids.values()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it has ended
      }
    }
    supervisor.stop('SIGTERM');
    await code;
  });
  return {
    ...{ supervisor, code, said, log },
    pid: (name) => pids.get(name) ?? 0,
    until: async (line, times = 1) => {
      while (said.filter((one) => one === line).length < times)
        await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

test('the webhook begins once the database is up to date, before the service does its work', async (t) => {
  const { until } = supervise(t, { FAULT_service: 'never open' });
  await until('webhook begins 0 data: x');
});

test('a signal while the database is brought up to date ends a webhook that has not begun', async (t) => {
  const { supervisor, code, said, until } = supervise(t, { FAULT_service: 'migrates' });
  await until('service begins 0 data: x');
  supervisor.stop('SIGTERM');
  assert.equal(await code, 0);
  assert.deepEqual(said, ['service begins 0 data: x', 'service stops']);
});

test('the webhook begins after the service, each learns of the other, and both end with a signal', async (t) => {
  const { supervisor, code, said, until } = supervise(t);
  await until('service hears hello');
  assert.equal(said[0], 'service begins 0 data: x');
  assert.ok(said.includes('webhook begins 0 data: x') && said.includes('webhook there'), said.join('\n'));
  supervisor.stop('SIGTERM');
  assert.equal(await code, 0);
  assert.deepEqual(said.filter((line) => line.endsWith('stops')).toSorted(), [
    'service stops',
    'webhook stops',
  ]);
});

for (const [victim, other] of [
  ['webhook', 'service'],
  ['service', 'webhook'],
] as const)
  test(`the ${victim}'s part is started again when it dies, the other goes on and is told`, async (t) => {
    const { pid, said, log, until } = supervise(t);
    await until('service hears hello');
    const [killed, kept] = [pid(victim), pid(other)];
    process.kill(killed, 'SIGKILL');
    await until('service hears hello', 2);
    assert.notEqual(pid(victim), killed);
    assert.equal(pid(other), kept, 'the other one goes on');
    assert.ok(said.includes(`${other} gone`) && said.includes(`${victim} begins 1 data: x`), said.join('\n'));
    assert.equal(log.lines.length, 1);
  });

test('one that dies again and again waits longer each time, and is started in the end', async (t) => {
  const { pid, log, until } = supervise(t, {}, 20);
  await until('service hears hello');
  for (let deaths = 1; deaths <= 4; deaths += 1) {
    process.kill(pid('webhook'), 'SIGKILL');
    await until('service hears hello', deaths + 1);
  }
  const waits = log.lines.map(({ keys }) => keys?.['after_ms'] ?? 0);
  assert.deepEqual(waits, [0, 100, 200, 250]);
});

test('one that does not get to its work any more waits up to five seconds', async (t) => {
  const { pid, log, until } = supervise(t, { FAULT_webhook: 'no other start' }, 50);
  await until('service hears hello');
  process.kill(pid('webhook'), 'SIGKILL');
  await until('webhook begins 9 data: x');
  const waits = log.lines.map(({ keys }) => keys?.['after_ms'] ?? 0);
  assert.deepEqual(waits.slice(0, 9), [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
});

test('a webhook that is started again while the service is away is told what the service told last', async (t) => {
  const { pid, said, until } = supervise(t, { FAULT_service: 'no other start' }, 5);
  await until('webhook hears new');
  process.kill(pid('service'), 'SIGKILL');
  await until('webhook gone');
  process.kill(pid('webhook'), 'SIGKILL');
  await until('webhook begins 1 data: x');
  await until('webhook hears new', 2);
  assert.deepEqual(
    said.slice(said.indexOf('webhook begins 1 data: x')).filter((line) => line.startsWith('webhook')),
    ['webhook begins 1 data: x', 'webhook hears new'],
  );
});

test('one that says nothing any more is killed, and started again', async (t) => {
  const { log, until } = supervise(t, { FAULT_webhook: 'silent' }, 20);
  await until('webhook begins 1 data: x');
  await until('service hears hello', 2);
  assert.equal(log.lines.length, 2);
});

test('what keeps a part from starting the first time ends the daemon with its exit code', async (t) => {
  const { code, said } = supervise(t, { FAULT_webhook: 'no start' });
  assert.equal(await code, 2);
  assert.ok(said.includes('service stops'), said.join('\n'));
});
