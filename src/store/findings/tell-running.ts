import { sql } from 'kysely';
import { writeEvents } from '../outbox/index.ts';
import { inLists } from '../sql/marks.ts';
import type { Executor } from '../sql/run.ts';
import { goneAmong, readOpenCritical, toFound } from './open-critical.ts';

/**
 * tellGone puts down for the channels that critical findings ended since their images run nowhere any more, in the transaction that notes
 * the end of the last run of each; `images` are their numbers.
 */
export async function tellGone(transaction: Executor, images: readonly number[], at: number): Promise<void> {
  for (const marks of inLists(images)) {
    const gone = await goneAmong(transaction, marks);
    const ended = await openIn(transaction, gone, at);
    const happened = ended.map(({ digest, cve, package: name }) => ({
      event: 'finding_resolved' as const,
      subject: digest,
      payload: { digest, cve, package: name, reason: 'image_retired' },
    }));
    await writeEvents(transaction, happened, { at });
  }
}

/**
 * tellBack puts down for the channels that images which ran nowhere any more run again with critical findings, in the transaction that
 * notes it and before it does.
 */
export async function tellBack(transaction: Executor, images: readonly number[], at: number): Promise<void> {
  for (const marks of inLists(images)) {
    const back = await goneAmong(transaction, marks);
    const open = await openIn(transaction, back, at);
    await writeEvents(
      transaction,
      open.map((finding) => toFound(finding.digest, finding, 'runs_again')),
      { at },
    );
  }
}

async function openIn(
  transaction: Executor,
  images: ReadonlySet<number>,
  at: number,
): Promise<Awaited<ReturnType<typeof readOpenCritical>>> {
  const [marks] = inLists([...images]);
  return marks === undefined ? [] : readOpenCritical(transaction, sql`i.id in (${marks})`, at);
}
