import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deadlines } from '../../src/admission/deadlines.service.ts';

/** Timers that a test lets go off. */
function timersOf() {
  const set: { readonly ms: number; act: (() => void) | null }[] = [];
  return {
    set,
    after: (ms: number, act: () => void) => {
      const timer: (typeof set)[number] = { ms, act };
      set.push(timer);
      return () => void (timer.act = null);
    },
    pass: () => {
      const timer = set.findLast(({ act }) => act !== null);
      const act = timer?.act ?? null;
      if (timer !== undefined) timer.act = null;
      act?.();
    },
  };
}

test('one timer stands for many acts; it goes off for the first that is due and waits for the rest', () => {
  const timers = timersOf();
  const deadlines = new Deadlines(timers);
  const acted: string[] = [];
  const act = (name: string) => () => void acted.push(name);
  deadlines.after(3000, act('a'));
  const dropped = deadlines.after(3000, act('dropped'));
  deadlines.after(3500, act('b'));
  assert.deepEqual(
    timers.set.map(({ ms }) => ms),
    [3000],
  );
  deadlines.drop(dropped);
  timers.pass();
  assert.deepEqual(acted, ['a']);
  timers.pass();
  assert.deepEqual(acted, ['a', 'b']);
  timers.pass();
  assert.equal(timers.set.length, 2, 'nothing is left to wait for');
  deadlines.after(3000, act('c'));
  timers.pass();
  assert.deepEqual(acted, ['a', 'b', 'c']);
});

test('what is due sooner than anything before it is not late', () => {
  const timers = timersOf();
  const deadlines = new Deadlines(timers);
  const acted: string[] = [];
  deadlines.after(3000, () => void acted.push('later'));
  deadlines.after(1500, () => void acted.push('sooner'));
  assert.deepEqual(
    timers.set.map(({ ms, act }) => [ms, act !== null]),
    [
      [3000, false],
      [1500, true],
    ],
  );
  timers.pass();
  assert.deepEqual(acted, ['sooner']);
  timers.pass();
  assert.deepEqual(acted, ['sooner', 'later']);
});
