import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LiveError } from '../../src/whatif/index.ts';
import { fullResult } from '../whatif/report/sample-result.ts';
import { serve, type Served } from './stored.ts';

const policy = (name: string, spec: string): string =>
  `apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata:\n  name: ${name}\nspec:\n  ${spec}\n`;

function file({ directory }: Served, name: string, ...documents: string[]): string {
  const path = join(directory, name);
  writeFileSync(path, documents.join('---\n'));
  return path;
}

test('apply shows the difference and what it would have changed, and writes when it is told to', async (t) => {
  const served = await serve(t, fullResult());
  const path = file(
    served,
    'a.yaml',
    policy('shop', 'severityThreshold: HIGH'),
    policy('web', 'denyLatestTag: true'),
  );
  const dry = await served.ipo(['policy', 'apply', path, '--dry-run']);
  assert.equal(dry.code, 0, dry.err);
  assert.match(dry.out, /^shop is new on http:/m);
  assert.match(dry.out, /What-if over 30 days\n {2}Of 5,000 admissions, shop would deny/);
  assert.equal((await served.policies.list({ limit: null, offset: 0 })).total, 0);
  assert.equal((await served.ipo(['policy', 'apply', path, '--dry-run', '--exit-code'])).code, 1);
  assert.equal((await served.ipo(['policy', 'apply', path, '-y', '--exit-code'])).code, 2);
  const json = JSON.parse((await served.ipo(['policy', 'apply', path, '--dry-run', '-o', 'json'])).out);
  assert.deepEqual(
    [json.total, ...json.items.map(({ name, outcome }: Record<string, string>) => `${name} ${outcome}`)],
    [2, 'shop would_create', 'web would_create'],
  );
  assert.equal(json.items[0].what_if.policy.name, 'shop');
  served.world.jobs.length = 0;
  const applied = await served.ipo(['policy', 'apply', path, '--yes']);
  assert.match(applied.out, /^shop created \(revision [0-9a-f]{12}\)\nweb created/m);
  const again = await served.ipo(['policy', 'apply', path, '--yes']);
  assert.equal(again.out, 'shop is unchanged\nweb is unchanged\n');
  const none = await served.ipo(['policy', 'apply', path, '--dry-run', '--exit-code', '-o', 'json']);
  assert.equal(none.code, 0);
  assert.deepEqual(
    JSON.parse(none.out).items.map(({ outcome }: Record<string, string>) => outcome),
    ['unchanged', 'unchanged'],
  );
  assert.equal(served.world.jobs.length, 2);
  assert.deepEqual(
    served.world.jobs.map(({ source }) => source),
    [null, null],
  );
  const changed = file(served, 'b.yaml', policy('shop', 'severityThreshold: LOW'));
  const differs = await served.ipo(['policy', 'apply', changed, '--dry-run', '--no-whatif', '-o', 'json']);
  const [item] = JSON.parse(differs.out).items;
  assert.deepEqual([item.name, item.outcome, item.what_if], ['shop', 'would_update', null]);
  assert.equal(item.comparison.policies[0].changes[0].path, 'spec.severityThreshold');
  const planned = await served.ipo(['policy', 'apply', changed, '--dry-run', '--no-whatif']);
  assert.match(planned.out, /^1 policy would change \(1 tighter, 0 looser, 0 neither\)$/m);
  const updated = await served.ipo([
    'policy',
    'apply',
    changed,
    '-y',
    '-o',
    'json',
    '-o',
    `table=${served.directory}/said.txt`,
  ]);
  assert.equal(JSON.parse(updated.out).items[0].outcome, 'updated');
  Object.assign(updated, { out: readFileSync(join(served.directory, 'said.txt'), 'utf8') });
  assert.match(updated.out, /tighter {2}spec\.severityThreshold {2}HIGH → LOW/);
  assert.match(updated.out, /^1 policy will change \(1 tighter, 0 looser, 0 neither\)$/m);
  assert.match(updated.out, /shop updated \(revision/);
  assert.equal(served.world.jobs.at(-1)?.source, 'shop');
  assert.equal(served.world.runs.kept.length, 0, 'looking keeps nothing');
});

test('apply shows and writes labels and spelling too, without a replay where nothing else changes', async (t) => {
  const served = await serve(t, fullResult());
  const labelled = (team: string, spec: string): string =>
    policy('shop', spec).replace('name: shop', `name: shop\n  labels: {team: ${team}}`);
  const apply = (name: string, text: string, flag: string) =>
    served.ipo(['policy', 'apply', file(served, name, text), flag]);
  await apply('a.yaml', policy('shop', 'sla: {high: 168h}'), '-y');
  const { revision } = await served.policies.get('shop');
  const jobs = served.world.jobs.length;
  const shown =
    'shop means the same; only its document changes\n' +
    '  metadata.labels  not set → {"team":"x"}\n  spec.sla.high  "168h" → "168h0m0s"\n';
  const text = labelled('x', 'sla: {high: 168h0m0s}');
  assert.equal((await apply('b.yaml', text, '--dry-run')).out, shown);
  assert.equal((await served.policies.get('shop')).document['metadata']?.['labels' as never], undefined);
  const applied = await apply('b.yaml', text, '-y');
  assert.equal(applied.out, `${shown}shop updated (revision ${revision.slice(0, 12)})\n`);
  const stored = await served.policies.get('shop');
  assert.deepEqual(stored.document['metadata'], { name: 'shop', labels: { team: 'x' } });
  assert.deepEqual([stored.revision, served.world.jobs.length], [revision, jobs]);
  // What the API server writes into an object is no difference, since it is not kept.
  const fetched = `${text}status: {}\n`.replace('  name: shop', '  name: shop\n  uid: abc');
  assert.equal((await apply('c.yaml', fetched, '-y')).out, 'shop is unchanged\n');
  const both = await apply('d.yaml', labelled('y', 'sla: {high: 24h}'), '-y');
  assert.match(
    both.out,
    /spec\.sla\.high[^]*The document also changes\n {2}metadata\.labels\.team {2}"x" → "y"\n/,
  );
  assert.equal(served.world.jobs.length, jobs + 1);
});

test('apply asks at a terminal, takes nothing but a yes for one, and refuses to go on where it cannot ask', async (t) => {
  const served = await serve(t, fullResult());
  const path = file(served, 'a.yaml', policy('shop', 'severityThreshold: HIGH'));
  const silent = await served.ipo(['policy', 'apply', path]);
  assert.deepEqual([silent.code, /Add --yes/.test(silent.err), served.world.jobs.length], [2, true, 0]);
  for (const stdin of ['n\n', '\n', '', 'yess\n', 'no y\n']) {
    const { code, err } = await served.ipo(['policy', 'apply', path], { tty: true, stdin });
    assert.deepEqual(
      [code, /Put 1 policy in effect on .*\? \[y\/N\]/.test(err), /nothing was applied/.test(err)],
      [1, true, true],
      stdin,
    );
  }
  assert.equal((await served.policies.list({ limit: null, offset: 0 })).total, 0);
  const yes = await served.ipo(['policy', 'apply', path], { tty: true, stdin: 'Y\n' });
  assert.deepEqual([yes.code, /shop created/.test(yes.out)], [0, true]);
});

test('apply writes over what it compared with, and nothing else', async (t) => {
  const served = await serve(t, fullResult());
  const first = file(served, 'a.yaml', policy('shop', 'severityThreshold: HIGH'));
  await served.ipo(['policy', 'apply', first, '-y', '--no-whatif']);
  const { world } = served;
  const replay = world.deps.replayer.replay.bind(world.deps.replayer);
  // Somebody else writes while the difference is being looked at.
  world.deps.replayer.replay = async (...call) => {
    const document = {
      apiVersion: 'ipo.dev/v1',
      kind: 'ImagePolicy',
      metadata: { name: 'shop' },
      spec: { denyLatestTag: true },
    };
    await served.policies.update('shop', document, 'any', 'user:other');
    return replay(...call);
  };
  const second = file(served, 'b.yaml', policy('shop', 'severityThreshold: LOW'));
  const { code, err } = await served.ipo(['policy', 'apply', second, '-y']);
  assert.deepEqual([code, /has been changed since it was read/.test(err)], [3, true]);
  assert.deepEqual((await served.policies.get('shop')).document['spec'], { denyLatestTag: true });
});

test('a what-if that cannot be had now keeps nobody from applying, and is said', async (t) => {
  const served = await serve(t, fullResult());
  served.world.fault = new LiveError('unavailable', '8 what-ifs are waiting already');
  const path = file(served, 'a.yaml', policy('shop', 'severityThreshold: HIGH'));
  const { code, out } = await served.ipo(['policy', 'apply', path, '-y']);
  assert.equal(code, 0);
  assert.match(out, /is not known: 8 what-ifs are waiting already\.\n/);
  assert.match(out, /shop created/);
});

test('apply reads every file before it writes, and refuses a policy that is given twice', async (t) => {
  const served = await serve(t, fullResult());
  const good = file(served, 'a.yaml', policy('shop', 'severityThreshold: HIGH'));
  const wrong = file(served, 'b.yaml', policy('web', 'runtime: {}'));
  const bad = await served.ipo(['policy', 'apply', good, wrong, '-y']);
  assert.deepEqual([bad.code, /b\.yaml:6:3: unknown field "spec\.runtime"/.test(bad.err)], [2, true]);
  const twice = await served.ipo([
    'policy',
    'apply',
    good,
    file(served, 'c.yaml', policy('shop', 'denyLatestTag: true')),
    '-y',
  ]);
  assert.deepEqual([twice.code, /shop stands in .*a\.yaml too/.test(twice.err)], [2, true]);
  assert.equal((await served.policies.list({ limit: null, offset: 0 })).total, 0);
});

test('of several policies of which one is refused, those before it are written and that is said', async (t) => {
  const served = await serve(t, fullResult());
  const path = file(served, 'a.yaml', policy('a', 'denyLatestTag: true'), policy('b', 'denyLatestTag: true'));
  let entries = 0;
  const record = served.world.deps.audit.record.bind(served.world.deps.audit);
  served.world.deps.audit.record = async (entry) => {
    entries += 1;
    if (entries === 2) throw new Error('the disk is full');
    return record(entry);
  };
  const { code, out, err } = await served.ipo(['policy', 'apply', path, '-y', '--no-whatif']);
  assert.equal(code, 3);
  assert.match(out, /a created/);
  assert.match(err, /1 of 2 policies applied; the others were not applied/);
  assert.equal((await served.policies.list({ limit: null, offset: 0 })).total, 1);
});

test('policies are listed and printed so that they can be applied again', async (t) => {
  const served = await serve(t, fullResult());
  assert.equal((await served.ipo(['policy', 'list'], { role: 'viewer' })).out, 'No policy is in effect.\n');
  const text = policy('shop', 'enforcement: Enforce');
  await served.ipo(['policy', 'apply', file(served, 'a.yaml', text), '-y', '--no-whatif']);
  const first = await served.policies.current('shop');
  const got = await served.ipo(['policy', 'get', 'shop'], { role: 'viewer' });
  assert.equal(got.out, text);
  assert.equal(
    (await served.ipo(['policy', 'apply', '-', '-y'], { stdin: got.out })).out,
    'shop is unchanged\n',
  );
  await served.ipo([
    'policy',
    'apply',
    file(served, 'b.yaml', policy('shop', 'denyLatestTag: true')),
    '-y',
    '--no-whatif',
  ]);
  assert.match(
    (await served.ipo(['policy', 'list'])).out,
    /^shop +Audit +the whole cluster +[0-9a-f]{12} +2027-01-15 08:00$/m,
  );
  assert.equal(JSON.parse((await served.ipo(['policy', 'list', '-o', 'json'])).out).items[0].name, 'shop');
  const revisions = await served.ipo(['policy', 'revisions', 'shop']);
  assert.match(revisions.out, /^[0-9a-f]{32} +2027-01-15 08:00 +Name of administratoraaa +in effect$/m);
  assert.equal(revisions.out.split('\n').length, 4);
  assert.equal(
    (await served.ipo(['policy', 'get', 'shop', '--revision', (first ?? '').slice(0, 12)])).out,
    text,
  );
  assert.deepEqual(
    JSON.parse((await served.ipo(['policy', 'get', 'shop', '--revision', first ?? '', '-o', 'json'])).out)
      .spec,
    { enforcement: 'Enforce' },
  );
  for (const args of [
    ['get', 'nothing'],
    ['revisions', 'nothing'],
    ['get', 'shop', '--revision', 'ffffffff'],
    ['delete', 'nothing', '-y'],
    ['whatif', 'nothing'],
  ])
    assert.equal((await served.ipo(['policy', ...args])).code, 1, args.join(' '));
  assert.match(
    (await served.ipo(['policy', 'get', 'nothing'])).err,
    /`ipo policy list` lists those in effect/,
  );
  assert.equal((await served.ipo(['policy', 'get', 'shop', '--revision', 'x'])).code, 2);
});

test('delete asks, and deletes what was shown', async (t) => {
  const served = await serve(t, fullResult());
  await served.ipo([
    'policy',
    'apply',
    file(served, 'a.yaml', policy('shop', 'enforcement: Enforce')),
    '-y',
    '--no-whatif',
  ]);
  assert.equal((await served.ipo(['policy', 'delete', 'shop'])).code, 2);
  const no = await served.ipo(['policy', 'delete', 'shop'], { tty: true, stdin: 'n\n' });
  assert.deepEqual([no.code, /Delete shop \(Enforce, the whole cluster\) from/.test(no.err)], [1, true]);
  const yes = await served.ipo(['policy', 'delete', 'shop'], { tty: true, stdin: 'yes\n' });
  assert.deepEqual([yes.code, yes.out], [0, 'shop deleted\n']);
  assert.equal(await served.policies.current('shop'), null);
});

test('a viewer may read policies and not write them', async (t) => {
  const served = await serve(t, fullResult());
  const { code, err } = await served.ipo(
    ['policy', 'apply', file(served, 'a.yaml', policy('a', 'denyLatestTag: true')), '-y'],
    { role: 'deployer' },
  );
  assert.deepEqual([code, /needs the role administrator/.test(err)], [3, true]);
});

test('a policy in effect is replayed under its own name, and its lines are those that get prints', async (t) => {
  const served = await serve(t, fullResult());
  await served.ipo([
    'policy',
    'apply',
    file(served, 'a.yaml', policy('shop', 'severityThreshold: HIGH')),
    '-y',
    '--no-whatif',
  ]);
  const { code, out, err } = await served.ipo([
    'policy',
    'whatif',
    'shop',
    '--fail-on',
    'would_deny',
    '--keep',
  ]);
  assert.equal(code, 1);
  assert.match(out, /policy shop/);
  assert.match(err, /stored as run [a-z2-7]{16}/);
  const [job] = served.world.jobs;
  assert.deepEqual(
    { ...job, draft: job?.draft.name, asOf: 0 },
    { draft: 'shop', asOf: 0, days: 30, limit: 5000, source: 'shop' },
  );
  assert.match((await served.ipo(['policy', 'whatif', 'shop', '-o', 'sarif'])).out, /"startLine": 6/);
});

test('a policy that was made invalid beside the service is listed and shown as that, and apply and delete fix it', async (t) => {
  const served = await serve(t, fullResult());
  const valid = policy('shop', 'severityThreshold: HIGH');
  await served.ipo(['policy', 'apply', file(served, 'a.yaml', valid), '-y']);
  const { revision, document } = await served.policies.get('shop');
  const spoil = (): void =>
    void served.spoilt.set('shop', {
      document: { ...document, spec: { sla: { critical: '0s' } } },
      fault: 'spec.sla.critical "0s" is not a valid window; it must be longer than 0s',
    });
  spoil();
  const note =
    `shop is not valid: spec.sla.critical "0s" is not a valid window; it must be longer than 0s; its last valid revision ${revision.slice(0, 12)} stays in effect.\n` +
    '  Replace it with ipo policy apply FILE, or delete it with ipo policy delete shop.\n';
  const listed = await served.ipo(['policy', 'list']);
  assert.ok(listed.out.endsWith(note), listed.out);
  assert.match(listed.out, new RegExp(`^shop .*${revision.slice(0, 12)} .*not valid$`, 'm'));
  const { items } = JSON.parse((await served.ipo(['policy', 'list', '-o', 'json'])).out) as {
    items: { revision: string; invalid: unknown }[];
  };
  assert.deepEqual(
    [items[0]?.revision, items[0]?.invalid],
    [
      revision,
      { fault: 'spec.sla.critical "0s" is not a valid window; it must be longer than 0s', in_effect: true },
    ],
  );
  const got = await served.ipo(['policy', 'get', 'shop']);
  assert.deepEqual([got.code, got.err], [0, note]);
  assert.match(got.out, /critical: 0s/);
  // The document that is in effect already takes the place of the invalid one.
  const same = await served.ipo(['policy', 'apply', file(served, 'a.yaml', valid), '--dry-run']);
  assert.ok(same.out.startsWith(note), same.out);
  const mended = await served.ipo([
    'policy',
    'apply',
    file(served, 'b.yaml', policy('shop', 'severityThreshold: LOW')),
    '-y',
  ]);
  assert.match(mended.out, /shop updated \(revision/);
  assert.equal((await served.policies.get('shop')).invalid, undefined);
  spoil();
  const gone = await served.ipo(['policy', 'delete', 'shop', '-y']);
  assert.deepEqual([gone.code, gone.out], [0, 'shop deleted\n'], gone.err);
});
