import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../store/engines.ts';
import { MINUTE } from './virtual-clock.ts';
import { worldsOf } from './world.ts';

forEachEngine('what keeps a channel from closing stands on its rows', (engine) => {
  const open = worldsOf(engine);

  test('a token that cannot be read', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1', 'CVE-2']);
    await world.file();
    world.clock.advance(10 * MINUTE);
    await world.scan(1, ['CVE-2']);
    world.unreadable.add('main');
    await world.sweep();
    const said = (await world.rows()).map(({ lastError }) => lastError);
    assert.match(said[0] ?? '', /cannot be read/);
    assert.equal(said[1], null, 'a finding that has not ended waits for nothing');
    world.unreadable.clear();
    world.clock.advance(10 * MINUTE);
    await world.sweep();
    const [row] = await world.rows();
    assert.deepEqual([row?.state, row?.lastError, fake.issues[0]?.state], ['closed', null, 'closed']);
  });

  test('until its finding is reported again, and then no more', async () => {
    const world = await open();
    await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1', 'CVE-2']);
    await world.file();
    world.clock.advance(10 * MINUTE);
    await world.scan(1, ['CVE-2']);
    world.unreadable.add('main');
    await world.sweep();
    assert.match((await world.rows())[0]?.lastError ?? '', /cannot be read/);
    world.unreadable.clear();
    world.clock.advance(10 * MINUTE);
    await world.scan(1, ['CVE-1', 'CVE-2']);
    await world.sweep();
    assert.deepEqual(
      (await world.rows()).map(({ state, lastError }) => [state, lastError]),
      [
        ['open', null],
        ['open', null],
      ],
    );
  });

  test('a claim without an issue says so too', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1']);
    fake.fault = () => 'redirect';
    await world.file();
    world.unreadable.add('main');
    world.clock.advance(10 * MINUTE);
    await world.file();
    assert.match((await world.row()).lastError ?? '', /cannot be read/);
  });

  test('a limit of the tracker, with its end', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.scan(1, []);
    await world.run('update channels set not_before = ? where id = ?', [
      world.clock.now() + 5 * MINUTE,
      'main',
    ]);
    fake.calls.length = 0;
    await world.sweep();
    assert.deepEqual(fake.calls, []);
    assert.match((await world.row()).lastError ?? '', /nothing is sent until 2026-11-21 09:0\d UTC/);
  });

  test('calls that were not made after three faults, with the reason of the channel', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1']);
    await world.file();
    world.clock.advance(10 * MINUTE);
    await world.scan(1, []);
    const { breaker, steady } = world.process.parts;
    for (let fault = 0; fault < 3; fault += 1) breaker.failed('main', steady.now());
    await world.run('update channels set last_error = ? where id = ?', ['401 of main.example', 'main']);
    fake.calls.length = 0;
    await world.sweep();
    assert.deepEqual([fake.calls, (await world.row()).lastError], [[], '401 of main.example']);
    world.clock.advance(10 * MINUTE);
    await world.sweep();
    assert.deepEqual([(await world.row()).state, (await world.row()).lastError], ['closed', null]);
  });

  test('a host that is not called for the faults of another channel', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1', 'CVE-2']);
    await world.file();
    world.clock.advance(10 * MINUTE);
    await world.scan(1, ['CVE-2']);
    const { breaker, steady } = world.process.parts;
    for (let fault = 0; fault < 3; fault += 1) breaker.failed('main.example', steady.now());
    fake.calls.length = 0;
    await world.sweep();
    assert.deepEqual(fake.calls, []);
    const said = (await world.rows()).map(({ lastError }) => lastError);
    assert.match(said[0] ?? '', /^calls to main\.example are paused after several errors in a row/);
    assert.equal(said[1], null);
    world.clock.advance(10 * MINUTE);
    await world.sweep();
    const [row] = await world.rows();
    assert.deepEqual([row?.state, row?.lastError], ['closed', null]);
  });

  test('a claim that waits while its host is not called', async () => {
    const world = await open();
    const fake = await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1']);
    // Claimed, and not sent: the create was refused for itself.
    fake.fault = () => 'redirect';
    await world.file();
    await world.run('update channels set last_error = null where id = ?', ['main']);
    const { breaker, steady } = world.process.parts;
    world.clock.advance(10 * MINUTE);
    for (let fault = 0; fault < 3; fault += 1) breaker.failed('main.example', steady.now());
    await world.file();
    assert.match(
      (await world.row()).lastError ?? '',
      /^calls to main\.example are paused after several errors in a row/,
    );
  });

  test('a channel that was deleted', async () => {
    const world = await open();
    await world.channel('main', { firstRunSummary: false });
    await world.scan(1, ['CVE-1']);
    await world.file();
    await world.scan(1, []);
    await world.deleteChannel('main');
    await world.sweep();
    assert.match((await world.row()).lastError ?? '', /channel was deleted/);
  });
});
