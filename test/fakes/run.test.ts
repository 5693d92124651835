import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { openDocuments } from '../../src/channels/index.ts';
import { exampleChannel, FAKE_KINDS, startFake } from '../../fakes/index.ts';

const RUN = resolve(import.meta.dirname, '../../fakes/run.ts');

for (const kind of FAKE_KINDS) {
  test(`the example for ${kind} is a channel that the service takes, where this machine may be called`, async (t) => {
    const fake = await startFake(kind);
    t.after(() => fake.close());
    const read = openDocuments({ testLoopback: true, allowedHosts: [] });
    const document = read(parse(exampleChannel(fake)));
    assert.equal(document.settings['apiBaseUrl'], fake.url);
    assert.equal(document.credentials[0]?.secret.reveal(), fake.tokens.good.secret);
    assert.throws(() =>
      openDocuments({ testLoopback: false, allowedHosts: [] })(parse(exampleChannel(fake))),
    );
  });
}

test('npm run fakes prints six trackers that answer, tells of every request, and ends when it is told to', async (t) => {
  const child = spawn(process.execPath, [RUN], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(text)) await once(child.stdout, 'data');
  };
  await until(/Ctrl-C ends them all/);
  const addresses = [...text.matchAll(/^ {2}address +(\S+)$/gm)].map((match) => match[1] ?? '');
  assert.equal(addresses.length, FAKE_KINDS.length);
  const token = /^ {2}good +(github_pat_fake-github-good\S+)$/m.exec(text)?.[1];
  const answer = await fetch(`${addresses[0]}/user`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(((await answer.json()) as { login: string }).login, 'ipo-bot');
  await until(/^github {2}GET \/user {2}200 {2}\(self, good\)$/m);
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.equal(code, 0);
});

test('npm run fakes explains its flags and refuses what it does not know', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, [RUN, ...args], { encoding: 'utf8' });
  assert.match(run('--help').stdout, /--port N/);
  for (const args of [['--port', 'x'], ['--port', '65535'], ['--colour']]) {
    const { status, stderr } = run(...args);
    assert.equal(status, 2);
    assert.equal(stderr.trim().split('\n').length, 1);
  }
});
