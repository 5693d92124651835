import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeMessage, type Payload } from '../../src/notify/index.ts';
import { contentOf, PAYLOADS } from './messages.ts';

/** The title and the list of a message about alerts of one image. */
function told(items: readonly Payload[], count = items.length): readonly string[] {
  const { sections, places } = contentOf(['runtime_alert']);
  const [section] = sections;
  const [entry] = section?.entries ?? [];
  assert.ok(section !== undefined && entry !== undefined);
  const content = { sections: [{ ...section, count, entries: [{ ...entry, count, items }] }], places };
  const { title, blocks } = composeMessage(content, { id: 'msg_1', at: entry.lastAt, references: [] });
  return [
    title,
    ...blocks.flatMap((block) =>
      block.kind === 'list' ? block.items.map((item) => item.map(({ text }) => text).join('')) : [],
    ),
  ];
}

test('each rule that alerted of an image in a minute is named, with its last event', () => {
  const [, sample] = PAYLOADS.runtime_alert;
  const alert = (rule: string, output: string): Payload => ({ ...sample, rule, output });
  const [title, ...lines] = told([
    alert('Shell', 'first'),
    alert('Miner', 'coins'),
    alert('Shell', 'second'),
  ]);
  assert.equal(title, '3 runtime alerts: Shell and 1 other rule');
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /^Shell \(.*, 2 times: second$/);
  assert.match(lines[1] ?? '', /^Miner \(.*: coins$/);
  const [one, ...only] = told([alert('Shell', 'first'), alert('Shell', 'second')], 40);
  assert.equal(one, '40 runtime alerts: Shell');
  assert.equal(only.length, 1);
  assert.match(only[0] ?? '', /^Shell \(.*, 40 times: second$/);
});

test('an alert names the pod that it is about; without one, where the image runs; of a node, the node', () => {
  const [, sample] = PAYLOADS.runtime_alert;
  const of = (more: Payload): string => told([{ ...sample, ...more }])[1] ?? '';
  const pod = { cluster: 'eu', namespace: 'shop', pod: 'api-1' };
  assert.match(of(pod), /, pod eu\/shop\/api-1: /);
  assert.match(of({ ...pod, cluster: null }), /, pod shop\/api-1: /);
  assert.match(of({ ...pod, pod: null }), /, runs in \S+ and \d+ more workloads: /);
  assert.match(of({ cluster: 'eu', digest: null, pod: null, host: 'node-1' }), /\) on eu\/node-1: /);
});
