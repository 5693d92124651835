import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountOf, stateOf, UNREAD, type Note, type ReplicaLine } from '../../src/replicas/index.ts';
import { AT } from '../reconcile/parts.ts';

const TOKEN = 'now';

function line(name: string, more: Partial<ReplicaLine> = {}): ReplicaLine {
  return {
    ...{ name, cluster: 'eu', life: 3, startedAt: AT, seenAt: AT, holdingSince: null, rows: 0 },
    ...{ answered: TOKEN, cleanAt: AT + 60_000, endedAt: null, forgottenAt: null, ...more },
  };
}

const clean = line('a');
const silent = { answered: 'before', cleanAt: AT + 1000 };

const CASES: readonly (readonly [
  string,
  readonly ReplicaLine[],
  readonly Note[] | null,
  readonly string[],
])[] = [
  ['all have answered', [clean, line('b')], [], []],
  ['one has not', [clean, line('b', silent)], [], ['b']],
  ['one never has', [clean, line('b', { answered: null, cleanAt: null })], [], ['b']],
  ['one ended and left nothing', [clean, line('b', { ...silent, endedAt: AT })], [], []],
  ['one was forgotten', [clean, line('b', { ...silent, forgottenAt: AT })], [], []],
  ['the Lease cannot be read', [clean], null, [UNREAD]],
  ['a note of one that has answered since', [clean], [{ name: 'a', since: AT }], []],
  ['a note of one that the database does not know', [clean], [{ name: 'b', since: AT }], ['b']],
  ['a note older than the end', [line('b', { ...silent, endedAt: AT })], [{ name: 'b', since: AT }], []],
  [
    'a note newer than the end',
    [line('b', { ...silent, endedAt: AT })],
    [{ name: 'b', since: AT + 1 }],
    ['b'],
  ],
  [
    'a note older than the forgetting',
    [line('b', { ...silent, forgottenAt: AT })],
    [{ name: 'b', since: AT }],
    [],
  ],
  [
    'a note newer than the forgetting',
    [line('b', { ...silent, forgottenAt: AT })],
    [{ name: 'b', since: AT + 1 }],
    ['b'],
  ],
  ['nobody at all', [], [], []],
];

for (const [what, lines, notes, holders] of CASES) {
  test(`who may hold rows: ${what}`, () => {
    const account = accountOf(TOKEN, lines, notes);
    assert.deepEqual(
      account.holders.map(({ name }) => name),
      holders,
    );
    assert.equal(account.whole, holders.length === 0);
  });
}

test('the time that all have answered for is that of the one that answered longest ago', () => {
  const lines = [clean, line('b', silent), line('c', { answered: 'x', cleanAt: AT + 500 })];
  assert.equal(accountOf(TOKEN, lines, []).since, AT + 500);
  assert.equal(accountOf(TOKEN, [...lines, line('d', { answered: null, cleanAt: null })], []).since, null);
});

test('a replica whose line does not change for more than 3 minutes is missing', () => {
  assert.equal(stateOf(clean, 180_000), 'answers');
  assert.equal(stateOf(clean, 180_001), 'missing');
  assert.equal(stateOf(line('b', { holdingSince: AT }), 0), 'spools');
  assert.equal(stateOf(line('b', { endedAt: AT }), 999_999), 'ended');
  assert.equal(stateOf(line('b', { endedAt: AT, forgottenAt: AT }), 0), 'forgotten');
});
