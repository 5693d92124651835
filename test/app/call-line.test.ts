import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallLine } from '../../src/app/calls/line.ts';

/** A line of tasks named `a1`, `a2`, `b1`…, by account and number. */
function lineOf(most: number, ...tasks: readonly string[]): CallLine<string> {
  const line = new CallLine<string>(most);
  for (const task of tasks) line.add(task.charAt(0), task);
  return line;
}

test('accounts take turns, and each has its own calls in their order', () => {
  const line = lineOf(9, 'a1', 'a2', 'a3', 'b1', 'c1', 'b2');
  assert.deepEqual(
    Array.from({ length: 7 }, () => line.next()),
    ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', null],
  );
  assert.ok(line.isEmpty);
});

test('an account has no more running than it may, while others begin', () => {
  const line = lineOf(1, 'a1', 'a2', 'b1');
  assert.deepEqual([line.next(), line.next(), line.next()], ['a1', 'b1', null]);
  line.done('b');
  assert.equal(line.next(), null);
  line.done('a');
  assert.equal(line.next(), 'a2');
});

test('what was dropped does not begin, and clearing gives what waited', () => {
  const line = lineOf(9, 'a1', 'a2', 'b1');
  assert.ok(line.drop('a', 'a1'));
  assert.equal(line.drop('a', 'a1'), false);
  assert.deepEqual(line.clear(), ['a2', 'b1']);
  assert.equal(line.next(), null);
});
