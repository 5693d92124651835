import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { suite, test } from 'node:test';
import { FAKE_KINDS } from '../../fakes/index.ts';
import { CANNOT_READ, CANNOT_STORE, DataKey } from '../../src/channels/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { startRunning } from '../app/running.ts';
import { DOCUMENTS } from '../channels/documents.ts';
import { openWorld } from '../channels/world.ts';
import { forEachEngine } from '../store/engines.ts';
import { actsOf, desksOf, type Desk } from './tables-world.ts';
import { MINUTE } from './virtual-clock.ts';

forEachEngine('Errors of trackers', (engine) => {
  const open = desksOf(engine);

  async function lastErrorOf(desk: Desk, id: string): Promise<string | null> {
    const { channel } = await desk.joined.channels.get(id);
    return channel.lastError;
  }

  test("Saving or updating a tracker channel without `DATA_KEY`: Refused with the text 'tracker credentials cannot be stored: DATA_KEY is not set'. The operator also logs this once at startup", async (t) => {
    const url = await engine.migrated();
    const store = await openStore({ url });
    t.after(() => store.close());
    const before = await openWorld(t, store);
    const { channel } = await before.channels.create(DOCUMENTS.github, null);
    const running = await startRunning(t, { env: { IPO_DATABASE_URL: url } });
    const administrator = running.as('administrator');
    const text = 'tracker credentials cannot be stored: DATA_KEY is not set';
    assert.equal(CANNOT_STORE, text);
    for (const document of [DOCUMENTS.gitlab, DOCUMENTS.jira, { ...DOCUMENTS.gitlab, enabled: false }])
      await assert.rejects(administrator.json('POST /channels', { body: document }), { message: text });
    const { token: _, ...same } = DOCUMENTS.github;
    await assert.rejects(
      administrator.json('PUT /channels/{id}', {
        params: { id: channel.id },
        headers: { 'if-match': '*' },
        body: { ...same, dailyCap: 5 },
      }),
      { message: text },
    );
    const warned = running.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(warned.filter(({ level, message }) => level === 'warn' && message === text).length, 1);
    assert.deepEqual(
      [await running.service.trackers.file(), await running.service.trackers.sweep()],
      [null, null],
    );
  });

  test('Tracker channel with `dailyCap` 0: Refused', async (t) => {
    const { channels } = (await open(t)).joined;
    for (const kind of ['github', 'gitlab', 'jira'] as const)
      await assert.rejects(channels.create({ ...DOCUMENTS[kind], dailyCap: 0 }, null), (error: Error) =>
        error.message.includes('dailyCap must be between 1 and 500; disable the channel to file nothing'),
      );
    assert.deepEqual(await channels.export(), []);
  });

  for (const kind of engine.name === 'sqlite' ? FAKE_KINDS : (['jira-cloud'] as const))
    suite(kind, () => {
      test('Stored tracker credential cannot be decrypted (replaced key): The Test action reports that the stored token cannot be read. Findings are skipped with that reason, and the ciphertext is never sent to the tracker', async (t) => {
        const desk = await open(t);
        const { world } = desk;
        const { id, fake } = await desk.channel(kind);
        await world.scan(1, ['CVE-1']);
        await desk.file();
        await world.scan(1, []);
        const asked = fake.requests.length;
        await desk.start(DataKey.parse(randomBytes(32).toString('base64')));
        const { test: report } = await desk.joined.channels.test(id, 'ada');
        assert.deepEqual([report.works, report.sentence], [false, 'the stored token cannot be read']);
        assert.equal(CANNOT_READ, report.sentence);
        await world.scan(2, ['CVE-2', 'CVE-3']);
        await desk.file();
        assert.equal(world.count('svc_issues_skipped_total error'), 2);
        assert.equal(await lastErrorOf(desk, id), 'the stored token cannot be read');
        await desk.sweep();
        assert.equal((await world.row()).state, 'open');
        assert.equal(fake.requests.length, asked, 'nothing is sent at all');
        const [box] = await runText<{ value: string }>(
          world.store.read,
          'select value from channel_credentials where channel_id = ?',
          [id],
        );
        assert.match(box?.value ?? '', /^enc:v1:/);
        assert.ok(!JSON.stringify(fake.requests).includes(box?.value ?? ''));
      });

      test('Tracker call fails during filing or closing: The row stays as it is, the error is recorded on the row and in the channel, and the finding is counted as skipped `error` (filing)', async (t) => {
        const desk = await open(t);
        const { world } = desk;
        const { id, fake } = await desk.channel(kind);
        await world.scan(1, ['CVE-1']);
        fake.faults.inject({ act: 'create' }, '403 with HTML');
        await desk.file();
        const { host } = new URL(fake.url);
        const said = `${host} answers 403 Forbidden`;
        const row = await world.row();
        assert.deepEqual([row.state, row.issue, row.lastError], ['open', null, said]);
        assert.equal(await lastErrorOf(desk, id), said);
        assert.equal(world.count('svc_issues_skipped_total error'), 1);
        world.clock.advance(MINUTE);
        await desk.file();
        assert.equal(await lastErrorOf(desk, id), null);

        await world.scan(1, []);
        const filed = await world.row();
        for (const act of ['comment', 'close'] as const) {
          fake.faults.inject({ act }, '403 with HTML');
          await desk.sweep();
          assert.deepEqual(await world.row(), { ...filed, lastError: said });
          assert.equal(await lastErrorOf(desk, id), said);
          world.clock.advance(10 * MINUTE);
        }
        assert.equal(world.count('svc_issues_skipped_total error'), 1, 'of closing nothing is counted');
        await desk.sweep();
        assert.equal((await world.row()).state, 'closed');
      });
    });

  test('a Jira Cloud site with a scoped token answers 401 AUTHENTICATED_FAILED, and the error names the gateway address', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    const { id, fake } = await desk.channel('jira-cloud');
    const { secret } = fake.tokens.other_form;
    await desk.change(id, { apiToken: secret });
    const { test: report } = await desk.joined.channels.test(id, 'ada');
    assert.equal(report.works, false);
    assert.match(report.sentence, /401/);
    assert.match(report.hints.join(' '), /gateway/);
    assert.deepEqual([fake.requests.at(-1)?.status, actsOf(fake)], [401, []]);
    await world.scan(1, ['CVE-1']);
    await desk.file();
    assert.match((await world.row()).lastError ?? '', /401/);
    assert.equal(fake.state.issues.length, 0);
    // The same kind of token at the gateway.
    const gateway = await desk.channel('jira-gateway');
    assert.equal(gateway.fake.tokens.good.form, fake.tokens.other_form.form);
    assert.equal((await desk.joined.channels.test(gateway.id, 'ada')).test.works, true);
  });

  test('Deleted channel during a sweep: A log line once per sweep. The rows stay open', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    const one = await desk.channel('github');
    const two = await desk.channel('gitlab');
    await world.scan(1, ['CVE-1', 'CVE-2']);
    await desk.file();
    await world.scan(1, ['CVE-2']);
    // It goes while the sweep reads what is open.
    one.fake.faults.at(
      { act: 'read' },
      'before',
      async () => void (await desk.joined.channels.remove(one.id, 'any')),
    );
    await desk.sweep();
    const lines = (): number =>
      world.log.filter(({ message }) => message.includes('cannot resolve the channel')).length;
    const told = lines();
    for (let sweep = 1; sweep <= 2; sweep += 1) {
      world.clock.advance(10 * MINUTE);
      await desk.sweep();
      assert.equal(lines(), told + sweep);
    }
    assert.ok((await world.rows()).some(({ state, channelId }) => state === 'open' && channelId === one.id));
    assert.deepEqual(actsOf(two.fake), []);
  });
});
