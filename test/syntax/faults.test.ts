import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineCounter, parseDocument } from 'yaml';
import { firstFault } from '../../src/syntax/index.ts';

const faultOf = (text: string, quotes: boolean) => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  assert.ok(document.errors.length > 0, text);
  return firstFault(text, lines, document, quotes);
};

const BROKEN: readonly string[] = [
  'name: a\nkey canary\nother: b\n',
  'name: a\nkey=canary\nother: b\n',
  'name: "canary\nother: b\n',
  'name: [canary\nother: b\n',
  'name: a\n  canary: b\n',
  'name: @canary\n',
  'name: "\\canary"\n',
  'name: canary\nname: canary\n',
  '{{ canary }}: a\nb: c: d\n',
  '<<<<<<< canary\nname: a\n=======\nname: b\n>>>>>>> c\n',
  'a: b\n]canary: x\n',
  'key: |canary\n  a\n',
  '%YAML 1.canary\n---\n]\n',
  '%canary x\n---\n]\n',
  'name: !<canary a\n',
  '"canary\n',
  'a: b\n}canary\n',
  'canary of prose: with: colons\n',
  'key: -----BEGIN canary-----\ncanary\n-----END canary-----\n',
];

test('no line of a text that may hold secrets is repeated', () => {
  for (const text of BROKEN) {
    const { message, hint = '' } = faultOf(text, false);
    assert.doesNotMatch(`${message} ${hint}`, /canary/, text);
    assert.ok(message.length > 10, text);
  }
});

test('the same cause is said with and without quotes, at the same place', () => {
  for (const text of BROKEN) {
    const { line, column } = faultOf(text, true);
    const without = faultOf(text, false);
    assert.deepEqual([without.line, without.column], [line, column], text);
  }
});
