import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { CHANNEL_KINDS, openDocuments, TRACKER_KINDS, trackerOf } from '../../src/channels/index.ts';
import { METRICS } from '../../src/telemetry/catalogue.ts';
import { CLOSE_REASONS } from '../../src/trackers/index.ts';
import { ipo } from './fake-terminal.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const GUIDE = readFileSync(join(ROOT, 'docs/trackers.md'), 'utf8');
const COMMANDS = readFileSync(join(ROOT, 'docs/commands.md'), 'utf8');

/** The code of a text: what stands in fences and between backticks, a code that goes over a line's end in one piece. */
function codeOf(text: string): string[] {
  const fences = [...text.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, code = '']) => code);
  const spans = text.replaceAll(/^```\w*\n.*?^```/gms, '').matchAll(/`([^`]+)`/g);
  return [...fences.flatMap((code) => code.split('\n')), ...[...spans].map(([, code = '']) => code)];
}

test('every command and flag of the guide exists', async () => {
  const lines = codeOf(GUIDE).flatMap(
    (code) => code.replaceAll(/\s+/g, ' ').match(/\bipo [a-z][^#|]*/) ?? [],
  );
  const commands = lines.filter((line) => /^ipo (channel|tracker|tracking|triage|demo|audit)\b/.test(line));
  assert.ok(commands.length > 20, commands.join('\n'));
  for (const line of commands) {
    const [, noun = '', verb = ''] = line.split(' ');
    const words = /^(channel|tracker|tracking|triage)$/.test(noun) && verb !== '' ? [noun, verb] : [noun];
    const { code, out, err } = await ipo([...words, '--help']);
    assert.equal(code, 0, `${line}: ${err}`);
    assert.match(out, new RegExp(`^Usage: ipo ${words.join(' ')}\\b`), line);
    for (const [flag] of line.matchAll(/--[a-z][a-z-]+/g))
      assert.ok(out.includes(flag), `${flag} in: ${line}`);
  }
});

test('every metric, label, job and reason of the guide is one of the program', () => {
  const named = [...GUIDE.matchAll(/\bsvc_[a-z_]+/g)].map(([name]) => name);
  assert.ok(named.length >= 4);
  for (const name of named) assert.ok(name in METRICS, name);
  for (const [, name = '', labels = ''] of GUIDE.matchAll(/`(svc_[a-z_]+)\{([a-z,]+)\}`/g)) {
    const { labels: known } = METRICS[name as 'svc_issues_closed_total'];
    assert.deepEqual(labels.split(','), Object.keys(known), name);
  }
  const jobs = readFileSync(join(ROOT, 'src/app/service/jobs.ts'), 'utf8');
  for (const job of ['issue-filing', 'closing-sweep']) {
    assert.ok(GUIDE.includes(job));
    assert.ok(jobs.includes(`name: '${job}'`), job);
  }
  for (const reason of CLOSE_REASONS) assert.match(GUIDE, new RegExp(`^\\| \`${reason}\` \\|`, 'm'), reason);
});

test('the guide names every field of a tracker channel, and no other', () => {
  const read = openDocuments({ testLoopback: false, allowedHosts: [] });
  const known = TRACKER_KINDS.flatMap((kind) =>
    Object.keys(read({ kind, name: kind, ...trackerOf(kind).setup.example }).settings),
  );
  const own = ['name', 'enabled', 'subscriptions', 'token', 'apiToken', 'bearerToken', 'doneTransitionId'];
  const all = new Set([...known, ...own]);
  for (const field of known) assert.ok(GUIDE.includes(`\`${field}\``), `${field} is not in the guide`);
  const rows = [...GUIDE.matchAll(/^\| (`[A-Za-z]+`(?:, `[A-Za-z]+`)*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([a-z]+[A-Z][A-Za-z]*)`/g)].map(([, field = '']) => field),
  );
  assert.ok(rows.length > 8);
  for (const field of rows) assert.ok(all.has(field), `${field} is no field of a channel`);
});

test('the setup of a channel says which kinds there are', async () => {
  const { out } = await ipo(['channel', 'setup', '--help']);
  const last = CHANNEL_KINDS.at(-1);
  const words = out.replaceAll(/\s+/g, ' ');
  assert.ok(words.includes(`${CHANNEL_KINDS.slice(0, -1).join(', ')} or ${last}`));
});

test('commands on trackers in docs/commands.md exist', async () => {
  const rows = [...COMMANDS.matchAll(/^\| `ipo (channel|tracker|tracking) ([a-z-]+)/gm)];
  assert.ok(rows.length > 20, String(rows.length));
  for (const [, noun = '', verb = ''] of rows) {
    const { out } = await ipo([noun, verb, '--help']);
    assert.match(out, new RegExp(`^Usage: ipo ${noun} ${verb}\\b`), `${noun} ${verb}`);
  }
});
