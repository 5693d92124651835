import { latestWait } from '../../base/index.ts';
import { isComplete, mergeProofs, NOTHING_KNOWN } from '../../supply-chain/index.ts';
import type {
  ClaimedDigest,
  Collected,
  CollectionState,
  CollectionStore,
  Lane,
  Problem,
} from '../../supply-chain/index.ts';
import { runText } from '../sql/dialect.ts';
import { lockImage, readFacts } from '../facts/facts.ts';
import { newestNames } from '../facts/image-states.ts';
import { inChunks } from '../sql/marks.ts';
import { recordProofs } from './scans.ts';
import type { Store } from '../sql/store.ts';

/** Problems of one digest that are kept. */
const MAX_PROBLEMS = 20;
/** Characters of one sentence that are kept. */
const MAX_MESSAGE = 500;

/** Images that were seen by a scan or a review, or running, since a time. */
const SEEN = `(exists (select 1 from image_names n where n.digest = i.digest and n.not_asked is null and n.last_seen_at >= ?)
  or exists (select 1 from running_images r where r.digest = i.digest and r.last_seen_at >= ?))`;

/** Images that one call of `enrol` walks, and due collections of unused ones that it puts off. */
const WALK = 2000;
/** For so many milliseconds: no use of theirs is noticed later than they would be collected again in use. */
const PUT_OFF_MS = 6 * 60 * 60_000;

/** collectionStore keeps what was collected of each digest in a database: the facts, and when to ask again. */
export function collectionStore(store: Store): CollectionStore {
  let walked = '';
  return {
    async enrol(at, seenSince, limit) {
      await putOff(store, at, seenSince);
      const page = await runText<{ digest: string }>(
        store.read,
        `select digest from images where digest > ? order by digest limit ${WALK}`,
        [walked],
      );
      const last = page.at(-1)?.digest ?? null;
      const made = last === null ? 0 : await enrol(store, { walked, last, at, seenSince, limit });
      if (made < limit) walked = last === null || page.length < WALK ? '' : last;
      return made;
    },
    async request(digests, at, spacing) {
      await store.write(async (transaction) => {
        for (const { marks, cells } of inChunks([...new Set(digests)].toSorted()))
          await runText(
            transaction,
            `insert into proof_collections (digest, due_at, attempts)
             select digest, ?, 0 from images where digest in (${marks}) order by digest
             on conflict (digest) do update set due_at = excluded.due_at
             where proof_collections.due_at > excluded.due_at
               and (proof_collections.tried_at is null or proof_collections.tried_at <= ?)`,
            [at, ...cells, at - spacing],
          );
      });
    },
    claim: (at, lostBefore, seenSince, limit, lane = 'all') =>
      claim(store, { at, lostBefore, seenSince, limit, lane }),
    record: (held, collected, times) => record(store, held, collected, times),
    async release({ digest, claimedAt }, dueAt) {
      await store.write((transaction) =>
        runText(
          transaction,
          'update proof_collections set claimed_at = null, due_at = ? where digest = ? and claimed_at = ?',
          [dueAt, digest, claimedAt],
        ),
      );
    },
    state: (digest) => readState(store, digest),
    async waiting(at, seenSince) {
      const [row] = await runText<{ count: number }>(
        store.read,
        `select count(*) as count from proof_collections i where i.due_at <= ? and ${SEEN}`,
        [at, seenSince, seenSince],
      );
      return row?.count ?? 0;
    },
  };
}

interface Claiming {
  readonly at: number;
  readonly lostBefore: number;
  readonly seenSince: number;
  readonly limit: number;
  readonly lane: Lane;
}

/** Takes in what is used of one part of all images. Most often there is nothing, which costs no write. */
async function enrol(
  store: Store,
  {
    walked,
    last,
    at,
    seenSince,
    limit,
  }: {
    readonly walked: string;
    readonly last: string;
    readonly at: number;
    readonly seenSince: number;
    readonly limit: number;
  },
): Promise<number> {
  const missing = await runText<{ digest: string }>(
    store.read,
    `select i.digest from images i where i.digest > ? and i.digest <= ?
       and not exists (select 1 from proof_collections c where c.digest = i.digest) order by i.digest`,
    [walked, last],
  );
  let made = 0;
  for (const { marks, cells } of inChunks(missing.map(({ digest }) => digest))) {
    if (made >= limit) break;
    const left = limit - made;
    const rows = await store.write((transaction) =>
      runText(
        transaction,
        `insert into proof_collections (digest, due_at, attempts)
         select i.digest, ?, 0 from images i where i.digest in (${marks}) and ${SEEN}
         order by i.digest limit ?
         on conflict (digest) do nothing returning digest`,
        [at, ...cells, seenSince, seenSince, left],
      ),
    );
    made += rows.length;
  }
  return made;
}

/** Puts off what is due of images that nobody uses: they would stand before those in use in every claim. */
async function putOff(store: Store, at: number, seenSince: number): Promise<void> {
  const unused = await runText<{ digest: string }>(
    store.read,
    `select i.digest from proof_collections i where i.due_at <= ? and i.claimed_at is null and not ${SEEN}
     order by i.due_at limit ${WALK}`,
    [at, seenSince, seenSince],
  );
  for (const { marks, cells } of inChunks(unused.map(({ digest }) => digest).toSorted()))
    await store.write((transaction) =>
      runText(
        transaction,
        `update proof_collections set due_at = ? where digest in (${marks}) and due_at <= ? and claimed_at is null`,
        [at + PUT_OFF_MS, ...cells, at],
      ),
    );
}

/** What a worker beside us takes between the two reads no longer meets the condition, and is left to it. */
async function claim(
  store: Store,
  { at, lostBefore, seenSince, limit, lane }: Claiming,
): Promise<readonly ClaimedDigest[]> {
  // A time in the future that nobody sets was written by a clock that was ahead.
  const free = '(claimed_at is null or claimed_at <= ? or claimed_at > ?) and (due_at <= ? or due_at > ?)';
  const times = [lostBefore, latestWait(at, 0), at, latestWait(at, PUT_OFF_MS)];
  const fitting = lane === 'new' ? 'and i.attempts = 0 and' : 'and';
  const first = lane === 'new' ? 'i.due_at desc' : 'i.due_at';
  return store.write(async (transaction) => {
    const rows = await runText<{ digest: string; attempts: number }>(
      transaction,
      `update proof_collections set claimed_at = ?
       where digest in (
         select i.digest from proof_collections i where ${free} ${fitting} ${SEEN} order by ${first}, i.digest limit ?
       ) and ${free} returning digest, attempts`,
      [at, ...times, seenSince, seenSince, limit, ...times],
    );
    const claims: ClaimedDigest[] = [];
    for (const { digest, attempts } of rows.toSorted((a, b) => (a.digest < b.digest ? -1 : 1))) {
      const names = await newestNames(transaction, digest, 'asked');
      const [image] = await runText<{ first_seen_at: number }>(
        transaction,
        'select first_seen_at from images where digest = ?',
        [digest],
      );
      claims.push({ digest, names, attempts, firstSeenAt: image?.first_seen_at ?? at, claimedAt: at });
    }
    return claims;
  });
}

/** The image first, as all that changes its facts does, so that nobody assembles facts without this. */
async function record(
  store: Store,
  { digest, claimedAt, attempts }: ClaimedDigest,
  collected: Collected,
  { at, dueAt }: { readonly at: number; readonly dueAt: number },
): Promise<boolean> {
  const whole = isComplete(collected);
  return store.write(async (transaction) => {
    await lockImage(transaction, digest, at);
    const held = await runText(
      transaction,
      `update proof_collections set claimed_at = null, due_at = ?, attempts = ?, tried_at = ?,
         collected_at = case when ? = 1 then ? else collected_at end, problems = ?
       where digest = ? and claimed_at = ? returning digest`,
      [
        dueAt,
        whole ? 0 : attempts + 1,
        at,
        whole ? 1 : 0,
        at,
        toStored(collected.problems.map(toKept)),
        digest,
        claimedAt,
      ],
    );
    if (held.length === 0) return false;
    const known = (await readFacts(transaction, digest)) ?? NOTHING_KNOWN;
    await recordProofs(transaction, digest, mergeProofs(known, collected), at);
    return true;
  });
}

/** Those that leave something unknown first. */
function toStored(problems: readonly Problem[]): string {
  const kept = problems
    .toSorted((a, b) => Number(b.leavesUnknown) - Number(a.leavesUnknown))
    .slice(0, MAX_PROBLEMS)
    .map((problem) => ({ ...problem, message: problem.message.slice(0, MAX_MESSAGE) }));
  return JSON.stringify(kept);
}

async function readState(store: Store, digest: string): Promise<CollectionState | null> {
  const [row] = await runText<{
    tried_at: number | null;
    collected_at: number | null;
    due_at: number;
    problems: string | null;
  }>(store.read, 'select tried_at, collected_at, due_at, problems from proof_collections where digest = ?', [
    digest,
  ]);
  if (row === undefined) return null;
  return {
    triedAt: row.tried_at,
    collectedAt: row.collected_at,
    dueAt: row.due_at,
    problems: row.problems === null ? [] : (JSON.parse(row.problems) as Problem[]),
  };
}

/** What to do about a fault is for whoever asked just then. */
function toKept({ where, reason, message, leavesUnknown, mayPass }: Problem): Problem {
  return { where, reason, message, leavesUnknown, mayPass };
}
