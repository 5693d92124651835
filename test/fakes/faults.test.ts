import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FakeClock, FAULTS, startFake, FAKE_KINDS, type Fake, type FaultName } from '../../fakes/index.ts';
import { speakTo, wordingOf } from './client.ts';

const NAMES = Object.keys(FAULTS) as FaultName[];

async function withFake(
  kind: (typeof FAKE_KINDS)[number],
  act: (fake: Fake) => Promise<void>,
): Promise<void> {
  const fake = await startFake(kind, { clock: new FakeClock() });
  try {
    await act(fake);
    assert.equal(fake.faults.waiting, 0);
  } finally {
    await fake.close();
  }
}

for (const kind of FAKE_KINDS) {
  suite(`faults of ${kind}`, () => {
    for (const name of NAMES) {
      test(`${name} strikes the create once, and the issue is there exactly where it says so`, async () => {
        await withFake(kind, async (fake) => {
          const words = wordingOf(fake);
          const { fault } = FAULTS[name];
          fake.faults.inject({ act: 'create' }, name);
          const given = await attempt(fake, words.create);
          assert.equal(fake.state.issues.length, name.includes('after effect') ? 1 : 0);
          if (fault.kind === 'reset' || fault.kind === 'hang') assert.equal(given, null);
          else assert.equal(given, fake.requests[0]?.status);
          assert.equal(fake.requests[0]?.fault, fault.kind);
          const after = await attempt(fake, words.create);
          assert.equal(after, 201);
        });
      });
    }

    test('a tracker that is down refuses connections, and holds all that it held when it is back', async () => {
      await withFake(kind, async (fake) => {
        const words = wordingOf(fake);
        fake.faults.at({ act: 'create' }, 'answered', () => fake.down());
        assert.equal(await attempt(fake, words.create), 201);
        await assert.rejects(speakTo(fake)('GET', words.self), (error: Error) => {
          assert.equal((error.cause as { code?: string }).code, 'ECONNREFUSED');
          return true;
        });
        await fake.up();
        assert.equal((await speakTo(fake)('GET', words.issue(1))).status, 200);
      });
    });

    test('a person can act at an exact moment: here the issue is closed between the effect and the answer', async () => {
      await withFake(kind, async (fake) => {
        const words = wordingOf(fake);
        fake.faults.at({ act: 'comment', nth: 2 }, 'after', () => fake.state.close(fake.state.issues[0]!));
        await attempt(fake, words.create);
        const speak = speakTo(fake);
        await speak('POST', words.comment[0](1), words.comment[1]);
        assert.equal(fake.state.issues[0]?.state, 'open');
        await speak('POST', words.comment[0](1), words.comment[1]);
        assert.equal(fake.state.issues[0]?.state, 'closed');
      });
    });
  });
}

/** Sends a create and gives the status, or null where no answer came. */
async function attempt(fake: Fake, [path, body]: readonly [string, unknown]): Promise<number | null> {
  const { signal, stop } = patience(fake);
  const token = fake.tokens.good;
  const basic = Buffer.from(`${token.user.email}:${token.secret}`).toString('base64');
  const cloud = fake.kind === 'jira-cloud' || fake.kind === 'jira-gateway';
  try {
    const response = await fetch(`${fake.url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      signal,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'ipo-test',
        authorization: cloud ? `Basic ${basic}` : `Bearer ${token.secret}`,
      },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.status;
  } catch {
    return null;
  } finally {
    stop();
  }
}

/** Gives up once the fake has done all it will do with a request that it leaves without an answer. */
function patience(fake: Fake): { signal: AbortSignal; stop: () => void } {
  const gone = new AbortController();
  const before = fake.requests.length;
  const look = setInterval(() => {
    const seen = fake.requests[before];
    if (seen?.fault === 'hang' && (seen.answer !== undefined || fake.state.issues.length === 0)) gone.abort();
  }, 5);
  return { signal: gone.signal, stop: () => clearInterval(look) };
}

test('an injected redirect leads to another host, which keeps whatever arrives there', async () => {
  await withFake('github', async (fake) => {
    fake.faults.inject({ act: 'self' }, 'redirect 307 to another host');
    const reply = await speakTo(fake)('GET', '/user');
    assert.equal(reply.status, 307);
    const to = reply.headers.get('location') ?? '';
    assert.ok(to.startsWith(fake.elsewhere.url));
    await speakTo(fake)('GET', to);
    assert.equal(fake.elsewhere.requests[0]?.headers['authorization'], `Bearer ${fake.tokens.good.secret}`);
  });
});

test('two faults that wait for the same act strike one request after the other', async () => {
  await withFake('gitlab', async (fake) => {
    fake.faults.inject({ act: 'self' }, '403 with HTML');
    fake.faults.inject({ act: 'self' }, '429 with a date');
    const speak = speakTo(fake);
    assert.equal((await speak('GET', '/user')).status, 403);
    const second = await speak('GET', '/user');
    assert.equal(second.status, 429);
    assert.equal(second.headers.get('retry-after'), 'Thu, 15 Oct 2026 08:01:00 GMT');
    assert.equal((await speak('GET', '/user')).status, 200);
  });
});

test('a step of a test that fails is not a lost connection, but a violation that says so', async () => {
  const fake = await startFake('github', { clock: new FakeClock() });
  fake.faults.at({ act: 'self' }, 'before', () => assert.fail('not as it should be'));
  await assert.rejects(speakTo(fake)('GET', '/user'));
  assert.match(fake.violations.join(), /^GET \/user: the fake failed: AssertionError.*not as it should be/);
  await fake.close();
});
