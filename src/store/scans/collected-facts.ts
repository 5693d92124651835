import { sql, type RawBuilder } from 'kysely';
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
import { lockImage, readFacts } from '../facts/facts.ts';
import { newestNames } from '../facts/image-states.ts';
import { inLists } from '../sql/marks.ts';
import { recordProofs } from './scans.ts';
import type { Store } from '../sql/store.ts';
import { run, type Row } from '../sql/run.ts';

/** Problems of one digest that are kept. */
const MAX_PROBLEMS = 20;
/** Characters of one sentence that are kept. */
const MAX_MESSAGE = 500;

/** Images that were seen by a scan or a review, or running, since a time. */
const seenSinceThen = (
  at: number,
): RawBuilder<unknown> => sql`(exists (select 1 from image_names n where n.digest = i.digest and n.not_asked is null and n.last_seen_at >= ${at})
  or exists (select 1 from running_images r where r.digest = i.digest and r.last_seen_at >= ${at}))`;

/** Images that one call of `enrol` walks, and due collections of unused ones that it puts off. */
const WALK = 2000;
/** For this many milliseconds: no use of theirs is noticed later than they would be collected again in use. */
const PUT_OFF_MS = 6 * 60 * 60_000;

/** collectionStore keeps what was collected of each digest in a database: the facts, and when to ask again. */
export function collectionStore(store: Store): CollectionStore {
  let walked = '';
  return {
    async enrol(at, seenSince, limit) {
      await putOff(store, at, seenSince);
      const page = await run(
        store.read,
        sql<
          Row<'images', 'digest'>
        >`select digest from images where digest > ${walked} order by digest limit ${WALK}`,
      );
      const last = page.at(-1)?.digest ?? null;
      const made = last === null ? 0 : await enrol(store, { walked, last, at, seenSince, limit });
      if (made < limit) walked = last === null || page.length < WALK ? '' : last;
      return made;
    },
    async request(digests, at, spacing) {
      await store.write(async (transaction) => {
        for (const marks of inLists([...new Set(digests)].toSorted()))
          await run(
            transaction,
            sql`insert into proof_collections (digest, due_at, attempts)
             select digest, ${at}, 0 from images where digest in (${marks}) order by digest
             on conflict (digest) do update set due_at = excluded.due_at
             where proof_collections.due_at > excluded.due_at
               and (proof_collections.tried_at is null or proof_collections.tried_at <= ${at - spacing})`,
          );
      });
    },
    claim: (at, lostBefore, seenSince, limit, lane = 'all') =>
      claim(store, { at, lostBefore, seenSince, limit, lane }),
    record: (held, collected, times) => record(store, held, collected, times),
    async release({ digest, claimedAt }, dueAt) {
      await store.write((transaction) =>
        run(
          transaction,
          sql`update proof_collections set claimed_at = null, due_at = ${dueAt} where digest = ${digest} and claimed_at = ${claimedAt}`,
        ),
      );
    },
    state: (digest) => readState(store, digest),
    async waiting(at, seenSince) {
      const [row] = await run(
        store.read,
        sql<{
          count: number;
        }>`select count(*) as count from proof_collections i where i.due_at <= ${at} and ${seenSinceThen(seenSince)}`,
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
  const missing = await run(
    store.read,
    sql<
      Row<'images', 'digest'>
    >`select i.digest from images i where i.digest > ${walked} and i.digest <= ${last}
       and not exists (select 1 from proof_collections c where c.digest = i.digest) order by i.digest`,
  );
  let made = 0;
  for (const marks of inLists(missing.map(({ digest }) => digest))) {
    if (made >= limit) break;
    const left = limit - made;
    const rows = await store.write((transaction) =>
      run(
        transaction,
        sql`insert into proof_collections (digest, due_at, attempts)
         select i.digest, ${at}, 0 from images i where i.digest in (${marks}) and ${seenSinceThen(seenSince)}
         order by i.digest limit ${left}
         on conflict (digest) do nothing returning digest`,
      ),
    );
    made += rows.length;
  }
  return made;
}

/** Puts off what is due of images that nobody uses: they would stand before those in use in every claim. */
async function putOff(store: Store, at: number, seenSince: number): Promise<void> {
  const unused = await run(
    store.read,
    sql<
      Row<'proof_collections', 'digest'>
    >`select i.digest from proof_collections i where i.due_at <= ${at} and i.claimed_at is null and not ${seenSinceThen(seenSince)}
     order by i.due_at limit ${WALK}`,
  );
  for (const marks of inLists(unused.map(({ digest }) => digest).toSorted()))
    await store.write((transaction) =>
      run(
        transaction,
        sql`update proof_collections set due_at = ${at + PUT_OFF_MS} where digest in (${marks}) and due_at <= ${at} and claimed_at is null`,
      ),
    );
}

/** What a worker beside us takes between the two reads no longer meets the condition, and is left to it. */
async function claim(
  store: Store,
  { at, lostBefore, seenSince, limit, lane }: Claiming,
): Promise<readonly ClaimedDigest[]> {
  // A time in the future that nobody sets was written by a clock that was ahead.
  const free = sql`(claimed_at is null or claimed_at <= ${lostBefore} or claimed_at > ${latestWait(at, 0)})
    and (due_at <= ${at} or due_at > ${latestWait(at, PUT_OFF_MS)})`;
  const fitting = lane === 'new' ? sql`and i.attempts = 0 and` : sql`and`;
  const first = lane === 'new' ? sql`i.due_at desc` : sql`i.due_at`;
  return store.write(async (transaction) => {
    const rows = await run(
      transaction,
      sql<Row<'proof_collections', 'digest' | 'attempts'>>`update proof_collections set claimed_at = ${at}
       where digest in (
         select i.digest from proof_collections i where ${free} ${fitting} ${seenSinceThen(seenSince)} order by ${first}, i.digest limit ${limit}
       ) and ${free} returning digest, attempts`,
    );
    const claims: ClaimedDigest[] = [];
    for (const { digest, attempts } of rows.toSorted((a, b) => (a.digest < b.digest ? -1 : 1))) {
      const names = await newestNames(transaction, digest, 'asked');
      const [image] = await run(
        transaction,
        sql<Row<'images', 'first_seen_at'>>`select first_seen_at from images where digest = ${digest}`,
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
    const held = await run(
      transaction,
      sql`update proof_collections set claimed_at = null, due_at = ${dueAt}, attempts = ${whole ? 0 : attempts + 1}, tried_at = ${at},
         collected_at = case when ${whole ? 1 : 0} = 1 then ${at} else collected_at end, problems = ${toStored(collected.problems.map(toKept))}
       where digest = ${digest} and claimed_at = ${claimedAt} returning digest`,
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
  const [row] = await run(
    store.read,
    sql<
      Row<'proof_collections', 'tried_at' | 'collected_at' | 'due_at' | 'problems'>
    >`select tried_at, collected_at, due_at, problems from proof_collections where digest = ${digest}`,
  );
  if (row === undefined) return null;
  return {
    triedAt: row.tried_at,
    collectedAt: row.collected_at,
    dueAt: row.due_at,
    problems: row.problems === null ? [] : (JSON.parse(row.problems) as Problem[]),
  };
}

/** The caller that asked decides what to do about an error. */
function toKept({ where, reason, message, leavesUnknown, mayPass }: Problem): Problem {
  return { where, reason, message, leavesUnknown, mayPass };
}
