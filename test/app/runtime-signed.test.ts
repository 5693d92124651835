import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { parseEvent } from '../../src/runtime/index.ts';
import { openStore, runtimeIntake } from '../../src/store/index.ts';
import { run } from '../../src/store/sql/run.ts';
import { critical, KEY, signed, WEB } from '../facts/signed.ts';
import { startRunning } from './running.ts';

interface Listed {
  readonly items: readonly { readonly matched: string | null; readonly effect: string | null }[];
}

test('a rule about signed images follows the keys of the policies in effect', async (t) => {
  const service = await startRunning(t);
  const store = await openStore({ url: `sqlite:${join(service.data, 'ipo.db')}` });
  t.after(() => store.close());
  const { payload, signature } = signed(critical(WEB));
  const signatures = JSON.stringify([{ identity: null, issuer: null, payload, signature }]);
  await store.write(async (transaction) => {
    await run(transaction, sql`insert into images (digest, first_seen_at) values (${WEB}, 1)`);
    await run(transaction, sql`insert into image_proofs (digest, signatures) values (${WEB}, ${signatures})`);
  });
  const administrator = service.as('administrator');
  await administrator.json('POST /runtime/rules', {
    body: { name: 'signed', match: { signed: true }, action: 'notify' },
  });
  /** What decided an event of the image. */
  const decided = async (output: string): Promise<string | null> => {
    const event = parseEvent(
      JSON.stringify({
        ...{ hostname: 'node-1', rule: 'R', priority: 'Notice', source: 'syscall', tags: [], output },
        time: new Date().toISOString(),
        output_fields: { 'container.image.digest': WEB },
      }),
      Date.now(),
    );
    if ('fault' in event) throw new Error(event.fault);
    await runtimeIntake(store).append('', [{ event, receivedAt: Date.now() }]);
    for (let looks = 0; looks < 400; looks += 1) {
      const { body } = await service
        .as('viewer')
        .json<Listed>('GET /runtime/events', { query: { limit: 1 } });
      const [newest] = body.items;
      if (newest !== undefined && newest.effect !== null) return newest.matched;
      await sleep(25);
    }
    throw new Error('the event was not decided');
  };
  assert.equal(await decided('nobody trusts the key'), null);
  await administrator.json('POST /policies', {
    body: {
      ...{ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: 'keys' } },
      spec: { signature: { keys: [KEY] } },
    },
  });
  assert.equal(await decided('a policy names the key'), 'signed');
});
