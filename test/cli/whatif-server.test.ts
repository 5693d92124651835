import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LiveError } from '../../src/whatif/index.ts';
import { emptyResult, fullResult } from '../whatif/report/sample-result.ts';
import { ipo } from './fake-terminal.ts';
import { serve, type Served } from './stored.ts';

const DRAFT = `apiVersion: ipo.dev/v1
kind: ImagePolicy
metadata:
  name: tighten-prod
spec:
  severityThreshold: HIGH
`;

function draftFile({ directory }: Served, text = DRAFT): string {
  const path = join(directory, 'draft.yaml');
  writeFileSync(path, text);
  return path;
}

/** Runs a command in a directory. */
async function inside<T>(directory: string, act: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  process.chdir(directory);
  try {
    return await act();
  } finally {
    process.chdir(before);
  }
}

test('the service is asked with what was given, and its answer is shown in every form of an offline one', async (t) => {
  const served = await serve(t, fullResult());
  const file = draftFile(served);
  const { code, out, err } = await served.ipo(
    [
      'whatif',
      file,
      '--server',
      served.url,
      '-d',
      '7',
      '--limit',
      '0',
      '-s',
      'old',
      '--as-of',
      '2026-11-20T07:00:00+01:00',
      '-o',
      'json',
    ],
    { env: { IPO_SERVER: '' } },
  );
  assert.deepEqual([code, err], [0, '']);
  const [job] = served.world.jobs;
  assert.deepEqual(
    { ...job, draft: job?.draft.name },
    { draft: 'tighten-prod', asOf: Date.UTC(2026, 10, 20, 6), days: 7, limit: 0, source: 'old' },
  );
  assert.equal(JSON.parse(out).kept, false);
  for (const [format, pattern] of [
    ['table', /Of 5,000 admissions/],
    ['yaml', /^would_deny: 214$/m],
    ['markdown', /^### What-if: /m],
    ['html', /^<!doctype html>/i],
    ['sarif', /"startLine": 6/],
    ['junit', /<testsuite/],
    ['github', /^::.*line=6/m],
  ] as const) {
    const ran = await served.ipo(['whatif', file, '-o', format]);
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.out, pattern);
  }
});

test('without an export, a database or --server, the service that is known is asked; with none it is said what to name', async (t) => {
  const served = await serve(t, fullResult());
  const file = draftFile(served);
  assert.match((await served.ipo(['whatif', file])).out, /Of 5,000 admissions/);
  const none = await ipo(['whatif', file], { env: { XDG_CONFIG_HOME: served.directory } });
  assert.deepEqual([none.code, /no ledger given/.test(none.err)], [2, true]);
});

test('exit codes and checks are those of an offline what-if', async (t) => {
  const served = await serve(t, fullResult());
  const file = draftFile(served);
  assert.equal((await served.ipo(['whatif', file, '--fail-on', 'would_deny'])).code, 1);
  assert.equal((await served.ipo(['whatif', file, '--fail-on', 'would_deny=100000'])).code, 0);
  served.result = emptyResult();
  const empty = await served.ipo(['whatif', file, '--strict']);
  assert.deepEqual([empty.code, /the ledger has no row of the /.test(empty.err)], [5, true]);
});

test('a run is kept when it is asked for, and by nobody who may not', async (t) => {
  const served = await serve(t, fullResult());
  const file = draftFile(served);
  await served.ipo(['whatif', file]);
  assert.equal(served.world.runs.kept.length, 0);
  const kept = await served.ipo(['whatif', file, '--keep']);
  const [run] = served.world.runs.kept;
  assert.match(kept.err, new RegExp(`stored as run ${run?.id}`));
  assert.deepEqual(run?.draft['spec'], { severityThreshold: 'HIGH' });
  const viewer = await served.ipo(['whatif', file, '--keep'], { role: 'viewer' });
  assert.deepEqual([viewer.code, /a viewer can run a what-if, but not keep it/.test(viewer.err)], [3, true]);
});

test('what is wrong with a draft is told with its line before the service is asked', async (t) => {
  const served = await serve(t, fullResult());
  const { code, err } = await served.ipo(['whatif', draftFile(served, `${DRAFT}  runtime: {}\n`)]);
  assert.deepEqual([code, /draft\.yaml:7:3: unknown field "spec\.runtime"/.test(err)], [2, true]);
  assert.equal(served.world.jobs.length, 0);
});

test('what the service refuses is told with what to do, and exits with the code of its kind', async (t) => {
  const served = await serve(t, fullResult());
  const file = draftFile(served);
  served.world.fault = new LiveError('unavailable', '8 what-ifs are waiting already', {
    retryAfter: 10,
    hint: 'Try again later',
  });
  const busy = await served.ipo(['whatif', file]);
  assert.deepEqual([busy.code, busy.out], [3, '']);
  assert.match(busy.err, /8 what-ifs are waiting already\n {2}Try again later\./);
  const denied = await served.ipo(['whatif', file], { env: { IPO_TOKEN: 'nobody-token' } });
  assert.equal(denied.code, 3);
  const away = await served.ipo(['whatif', file, '--server', 'http://127.0.0.1:1']);
  assert.deepEqual([away.code, /nothing listens there/.test(away.err)], [3, true]);
});

test('flags that would do nothing are refused', async (t) => {
  const served = await serve(t, fullResult());
  const file = draftFile(served);
  for (const args of [
    [file, '--ledger', 'x.ndjson', '--server', served.url],
    [file, '--ledger', 'x.ndjson', '--keep'],
    [file, '--ledger', 'x.ndjson', '--database', 'sqlite:x.db'],
    [file, '--database', 'sqlite:x.db', '--keep'],
    [file, '--database', 'postgres://user:secret@host/db'],
    [file, '--cold-image-policy', 'AllowAndScan'],
    ['--self-check', '--server', served.url],
    ['--server', file],
    ['--days', '3', 'list'],
    ['--keep', 'show', 'a'.repeat(16)],
    ['show', 'not-an-id'],
    ['show', 'a'.repeat(16), '--draft', '-o', 'html'],
    ['download', 'a'.repeat(16), '-o', '-'],
    ['list', '--from', 'yesterday'],
    ['list', '--limit', '0'],
  ]) {
    const { code, err, out } = await served.ipo(['whatif', ...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.doesNotMatch(err, /secret@|unexpected fault/);
  }
  assert.equal(served.world.jobs.length, 0);
});

test('kept runs are listed, filtered, reopened in every form, and their draft can be applied again', async (t) => {
  const served = await serve(t, fullResult());
  const none = await served.ipo(['whatif', 'list']);
  assert.equal(none.out, 'No run.\n');
  await served.ipo(['whatif', draftFile(served), '--keep']);
  const [run] = served.world.runs.kept;
  const id = run?.id ?? '';
  const list = await served.ipo(['whatif', 'list']);
  assert.match(
    list.out,
    new RegExp(
      `^${id} +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +tighten-prod +30 +3 +2 +1 +Name of administratoraaa$`,
      'm',
    ),
  );
  assert.equal(
    JSON.parse((await served.ipo(['whatif', 'list', '-o', 'json', '--policy', 'x'])).out).total,
    1,
  );
  const shown = await served.ipo(['whatif', 'show', id]);
  assert.match(shown.out, /Of 5,000 admissions/);
  assert.match(shown.out, new RegExp(`run ${id}`));
  assert.equal((await served.ipo(['whatif', 'show', id, '-o', 'json'])).out, `${run?.result}\n`);
  assert.match((await served.ipo(['whatif', 'show', id, '-o', 'sarif'])).out, /"startLine": 6/);
  const draft = await served.ipo(['whatif', 'show', id, '--draft']);
  assert.equal(draft.out, DRAFT);
  const applied = await served.ipo(['policy', 'apply', '-', '--yes', '--no-whatif'], { stdin: draft.out });
  assert.match(applied.out, /tighten-prod created/);
  const missing = await served.ipo(['whatif', 'show', 'a'.repeat(16)]);
  assert.deepEqual([missing.code, /no stored run has the ID/.test(missing.err)], [1, true]);
  assert.equal((await served.ipo(['whatif', 'list'], { role: 'viewer' })).code, 3);
});

test('a run is downloaded whole, and over no file that was not named', async (t) => {
  const served = await serve(t, fullResult());
  await served.ipo(['whatif', draftFile(served), '--keep']);
  const [run] = served.world.runs.kept;
  const id = run?.id ?? '';
  const { directory } = served;
  const download = (...args: string[]) =>
    inside(directory, () => served.ipo(['whatif', 'download', id, ...args]));
  const first = await download();
  assert.equal(first.code, 0, first.err);
  assert.deepEqual(
    readFileSync(join(directory, `whatif-${id}.pdf`)),
    Buffer.from('%PDF-1.7 \u00ff', 'latin1'),
  );
  const again = await download();
  assert.deepEqual([again.code, /already exists/.test(again.err)], [2, true]);
  assert.equal((await download('-o', join(directory, `whatif-${id}.pdf`))).code, 0);
  assert.equal((await download('--format', 'json', '-o', '-')).out, `${run?.result}\n`);
  assert.equal(served.world.audited.filter(({ action }) => action === 'policy_whatif_download').length, 3);
});
