import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openShell } from '../accounts/cli.ts';
import { oneRow } from '../app/one-row.ts';
import { scratchDirectory, startRunning } from '../app/running.ts';

const SHOP = resolve(import.meta.dirname, '../../fixtures/ledger/shop.ndjson.gz');

/** Answer is what `ipo licence check -o json` writes. */
interface Answer {
  readonly accepted: boolean;
  readonly signature: string;
  readonly month: string | null;
  readonly refusals: readonly { readonly message: string }[];
  readonly replay: {
    readonly ceiling: number | null;
    readonly admitted: number;
    readonly denied: readonly { readonly name: string }[];
  } | null;
}

/** Makes a key, and issues certificates by it for a request. */
async function openIssuer(t: TestContext) {
  const folder = scratchDirectory(t);
  const { env, ipo } = openShell(t);
  const file = (name: string): string => join(folder, name);
  const made = await ipo(['licence', 'keygen', '--name', 'acme', '--out', file('key.pem')]);
  assert.equal(made.code, 0, made.err);
  const issue = async (imageNames: string): Promise<string> => {
    const out = file(`${imageNames}.txt`);
    const { code, err } = await ipo([
      ...['licence', 'issue', '--key', file('key.pem'), '--name', 'acme', '--request', file('request.json')],
      ...['--customer', 'Acme', '--image-names', imageNames, '--out', out],
    ]);
    assert.equal(code, 0, err);
    return out;
  };
  return { file, env, ipo, issue, publicKey: made.out.trim() };
}

test('a ceiling is replayed over a ledger export: which names it would have denied, without a service', async (t) => {
  const { file, ipo, issue, publicKey } = await openIssuer(t);
  const request = {
    format: 'ipo-licence-request-1',
    request_id: 'a'.repeat(16),
    cluster_id: 'c1',
    installation_id: 'i1',
    cluster: '',
  };
  writeFileSync(file('request.json'), JSON.stringify(request));
  const check = async (imageNames: string, ...more: readonly string[]) => {
    const args = ['licence', 'check', await issue(imageNames), '--public-key', publicKey, '--ledger', SHOP];
    const ran = await ipo([...args, '--month', '2026-11', '-o', 'json', ...more]);
    return { ...ran, answer: JSON.parse(ran.out) as Answer };
  };
  const open = await check('none');
  assert.equal(open.code, 0, open.err);
  assert.deepEqual(
    [open.answer.accepted, open.answer.signature, open.answer.month],
    [true, 'verified', '2026-11'],
  );
  const { admitted: names } = open.answer.replay as NonNullable<Answer['replay']>;
  assert.ok(names > 5, String(names));
  assert.deepEqual(open.answer.replay?.denied, []);
  const tight = await check('3');
  assert.deepEqual(
    [tight.code, tight.answer.replay?.ceiling, tight.answer.replay?.denied.length],
    [0, 3, names - 3],
  );
  assert.equal((await check(String(names))).answer.replay?.denied.length, 0, 'a ceiling of just as many');
  const table = async (month: string) =>
    (await ipo(['licence', 'check', await issue('3'), '--ledger', SHOP, '--month', month])).out;
  const none = await table('2025-01');
  assert.match(none, /^The export does not hold 2025-01/m);
  assert.match(none, /^Nothing here is against the certificate\. Its signature was not verified\.$/m);
  const wrong = await ipo(['licence', 'check', file('request.json')]);
  assert.match(wrong.out, /this is not a licence certificate: its first line is not ipo-licence-1/);
  const free = await ipo(['licence', 'check', await issue('none'), '--ledger', SHOP, '--month', '2026-11']);
  assert.match(free.out, /names were admitted\. The certificate has no ceiling of image names\.$/m);
  const idle = await ipo(['licence', 'check', await issue('3'), '--month', '2026-11']);
  assert.deepEqual([idle.code, /--month has no effect/.test(idle.err)], [2, true], idle.err);
  const other = await check('3', '--cluster-id', 'c2');
  assert.deepEqual([other.code, other.answer.accepted], [1, false]);
  assert.match(other.answer.refusals[0]?.message ?? '', /certificate is for cluster c1, this is c2/);
});

test('a certificate that nobody signed is checked for each reason, and a ceiling can be the word none', async (t) => {
  const { file, ipo, issue, publicKey } = await openIssuer(t);
  const request = { request_id: 'a'.repeat(16), cluster_id: 'c1', installation_id: 'i1', cluster: '' };
  writeFileSync(file('request.json'), JSON.stringify({ format: 'ipo-licence-request-1', ...request }));
  const path = await issue('3');
  writeFileSync(path, readFileSync(path, 'utf8').replace('Acme', 'Acne'));
  const args = ['licence', 'check', path, '--public-key', publicKey, '--cluster-id', 'c2', '-o', 'json'];
  const ran = await ipo(args);
  const { signature, refusals } = JSON.parse(ran.out) as Answer;
  assert.deepEqual(
    [ran.code, signature, refusals.map(({ message }) => message)],
    [
      1,
      'not_verified',
      [
        'certificate is not signed by a key of licence.publicKeys',
        'certificate is for cluster c1, this is c2',
      ],
    ],
  );
  const many = await ipo([
    ...['licence', 'issue', '--key', file('key.pem'), '--name', 'acme', '--request', file('request.json')],
    ...['--customer', 'Acme', '--nodes', 'many'],
  ]);
  assert.equal(many.code, 2);
  assert.match(many.err, /a whole number from 0 to 1000000000, or none/);
});

test('a certificate is checked against a running service, and its ceiling over the admissions of it', async (t) => {
  const { file, env, ipo, issue, publicKey } = await openIssuer(t);
  const now = Date.UTC(2026, 6, 2);
  const running = await startRunning(t, {
    env: { IPO_LICENCE_PUBLIC_KEYS: publicKey },
    clock: { now: () => now },
  });
  Object.assign(env, { IPO_SERVER: running.url, IPO_TOKEN: running.secretOf('administrator') ?? '' });
  const { rows, ...entry } = oneRow('6f7b8c1e-0000-4000-8000-00000000000a');
  const at = Date.UTC(2026, 5, 10);
  for (const [n, name] of ['web', 'api', 'web'].entries())
    await running.service.append.append({
      ...entry,
      uid: `6f7b8c1e-0000-4000-8000-00000000000${n}`,
      rows: rows.map((row) => ({ ...row, at: at + n, image: `docker.io/acme/${name}:1` })),
    });
  assert.equal((await ipo(['licence', 'request', '--out', file('request.json')])).code, 0);
  const path = await issue('1');
  const ran = await ipo(['licence', 'check', path, '--server', '--month', '2026-06', '-o', 'json']);
  assert.equal(ran.code, 0, ran.err);
  const { accepted, signature, replay } = JSON.parse(ran.out) as Answer;
  assert.deepEqual(
    [accepted, signature, replay?.admitted, replay?.denied.map(({ name }) => name)],
    [true, 'verified', 2, ['docker.io/acme/api']],
  );
  const shown = JSON.parse((await ipo(['licence', 'show', '-o', 'json'])).out) as { state: string };
  assert.equal(shown.state, 'none', 'nothing was activated');
});

test('a file that is not what it was taken for is named', async (t) => {
  const { file, env, ipo } = await openIssuer(t);
  const running = await startRunning(t, {});
  Object.assign(env, { IPO_SERVER: running.url, IPO_TOKEN: running.secretOf('administrator') ?? '' });
  const wrong = file('wrong.txt');
  writeFileSync(wrong, 'hello\n');
  const issue = ['issue', '--key', file('key.pem'), '--name', 'acme', '--customer', 'Acme'];
  for (const args of [
    [...issue, '--request', wrong],
    ['check', file('key.pem'), '--request', wrong],
    ['activate', wrong],
  ]) {
    const ran = await ipo(['licence', ...args]);
    assert.equal(ran.code, 2, ran.err);
    assert.ok(ran.err.startsWith(`ipo: ${wrong}: this is not `), ran.err);
  }
  const check = await ipo(['licence', 'check', wrong]);
  assert.equal(check.code, 1, check.err);
  assert.ok(check.out.startsWith(`The service would not accept ${wrong} as its certificate:\n`), check.out);
  const kept = await ipo(['licence', 'keygen', '--name', 'x', '--out', file('none/key.pem')]);
  assert.equal(kept.code, 3);
  assert.match(kept.err, /none\/key\.pem: no such file or directory\n {2}Check the path/);
});
