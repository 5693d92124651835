import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ipo } from './fake-terminal.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ipo-runtime-'));
after(() => rmSync(FOLDER, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(FOLDER, name);
  writeFileSync(path, text);
  return path;
}

const RULES = `apiVersion: ipo.dev/v1
kind: RuntimeRules
rules:
  - { name: shells, match: { rules: [Shell] }, action: notify }
---
apiVersion: ipo.dev/v1
kind: RuntimePolicy
metadata: { name: stop-shells }
spec: { match: { rules: [Shell] } }
`;
const EVENT = JSON.stringify({
  ...{ rule: 'Shell', priority: 'Critical', time: '2026-10-07T14:02:11.000000123Z', hostname: 'node-a' },
  output_fields: {
    ...{ 'container.image.digest': `sha256:${'a'.repeat(64)}`, 'container.image.repository': '<b>|web' },
    ...{ 'k8s.ns.name': 'shop', 'k8s.pod.name': '\u001b[2Jweb-1' },
  },
});

test('a draft is replayed over the events of a file, in every format, with nothing active in it', async () => {
  const rules = file('rules.yaml', RULES);
  const events = file('events.jsonl', `${EVENT}\nnone\n${EVENT}\n`);
  const { code, out, err } = await ipo(['runtime', 'whatif', rules, '--events', events, '-o', 'json']);
  const { evaluated, alerts, issues, stops } = JSON.parse(out);
  assert.deepEqual([code, evaluated, alerts, issues, stops], [0, 1, 1, 1, 1]);
  assert.match(err, /line 2 is left out: it is not JSON/);
  for (const format of ['table', 'markdown', 'html', 'yaml']) {
    const shown = await ipo([
      'runtime',
      'whatif',
      rules,
      '--events',
      events,
      '-o',
      format,
      '--fail-on-stops',
    ]);
    assert.equal(shown.code, 1);
    assert.ok(!shown.out.includes('\u001b[2J'));
    if (format === 'html') assert.doesNotMatch(shown.out, /<b>/);
    // A phone shows each row as a block, with the names of its columns.
    if (format === 'html') assert.match(shown.out, /<table class="stack">[\s\S]*<td data-label="Workload">/);
    assert.match(shown.out, /shop/);
  }
});

test('faults have a place and the documented exit code', async () => {
  const events = file('one.jsonl', EVENT);
  const wrong = file('wrong.yaml', RULES.replace('action: notify', 'action: block'));
  const refused = await ipo(['runtime', 'whatif', wrong, '--events', events]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /wrong\.yaml:4:\d+: action "block" is not supported since 1\.3\.1/);
  const rules = file('rules.yaml', RULES);
  assert.equal((await ipo(['runtime', 'whatif', rules, '--events', file('none', 'x\n')])).code, 2);
  assert.equal((await ipo(['runtime', 'whatif', rules, '--events', join(FOLDER, 'absent')])).code, 3);
  assert.equal((await ipo(['runtime', 'rule', 'test', rules, '--event', file('bad', '[]')])).code, 2);
});

test('rule test says which rule decides, and why another does not', async () => {
  const rules = file('rules.yaml', RULES.replace('[Shell]', '[Cron]'));
  const { code, out } = await ipo(['runtime', 'rule', 'test', rules, '--event', file('e.json', EVENT)]);
  assert.equal(code, 0);
  assert.match(
    out,
    /No rule matches[^]*rule shells: rules: it is Shell[^]*policy stop-shells \(Audit\): asks to stop/,
  );
  const json = await ipo(['runtime', 'rule', 'test', rules, '--event', file('e.json', EVENT), '-o', 'json']);
  assert.equal(JSON.parse(json.out).rule, null);
});
