import { insertMany, runText } from '../sql/dialect.ts';
import { inChunks } from '../sql/marks.ts';

type Executor = Parameters<typeof runText>[0];

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
export async function findNumbers(read: Executor, digests: readonly string[]): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for (const { marks, cells } of inChunks(digests)) {
    const rows = await runText<{ id: number; digest: string }>(
      read,
      `select id, digest from history_images where digest in (${marks})`,
      cells,
    );
    for (const { id, digest } of rows) numbers.set(digest, id);
  }
  return numbers;
}
