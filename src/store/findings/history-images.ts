import { sql } from 'kysely';
import { insertMany } from '../sql/dialect.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/** imageNumbers gives the numbers under which the history keeps images; those that it does not know yet get one. */
export async function imageNumbers(
  transaction: Executor,
  digests: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const known = await findNumbers(transaction, digests);
  const missing = [...new Set(digests)].filter((digest) => !known.has(digest)).toSorted();
  if (missing.length === 0) return known;
  await insertMany(
    transaction,
    'history_images',
    { digest: 'text' },
    missing.map((digest) => [digest]),
    'on conflict (digest) do nothing',
  );
  for (const [digest, number] of await findNumbers(transaction, missing)) known.set(digest, number);
  return known;
}

/** findNumbers gives the numbers of those images that the history knows. */
async function findNumbers(read: Executor, digests: readonly string[]): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for (const marks of inLists(digests)) {
    const rows = await run(
      read,
      sql<
        Row<'history_images', 'id' | 'digest'>
      >`select id, digest from history_images where digest in (${marks})`,
    );
    for (const { id, digest } of rows) numbers.set(digest, id);
  }
  return numbers;
}
