import { TrackerError, type IssueRef } from '../../trackers/index.ts';
import type { z } from 'zod';

/** Asked is what a call asked for, for the sentences of its faults. */
export interface Asked {
  readonly host: string;
  readonly write: boolean;
}

/** unreadable words an answer that is not what the provider's API says; after a write its outcome is then unknown. */
export function unreadable({ host, write }: Asked, why: string, cause?: unknown): TrackerError {
  return new TrackerError('unreadable', `${host} gives an answer that its API does not have (${why})`, {
    happened: write ? 'unknown' : 'no',
    hint: 'Check what is between this service and the tracker, such as a proxy with a sign-in page',
    cause,
  });
}

/**
 * throughLibrary runs a call that a provider's library makes over our transport, and gives back the fault that the transport threw,
 * out of whatever the library wrapped around it (which can hold a whole request).
 */
export async function throughLibrary<T>(asked: Asked, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    let at: unknown = error;
    for (let depth = 0; at instanceof Error && depth < 8; depth += 1) {
      if (at instanceof TrackerError) throw at;
      at = at.cause;
    }
    throw unreadable(asked, error instanceof Error ? error.name : 'unknown fault');
  }
}

/**
 * anotherIssue words that an issue's name is that of another issue now: the repository or project was recreated, or the channel leads to
 * another host than the one on which the issue was opened. Nothing may be written to it.
 */
export function anotherIssue({ key, url }: IssueRef): TrackerError {
  return new TrackerError(
    'not_found',
    `${key} is another issue than the one that was opened as ${url === '' ? key : url}`,
    {
      happened: 'no',
      hint: 'Close the issue that was opened by hand, or lead the channel back to where it is',
    },
  );
}

/** toDocument takes what is used out of an answer. Throws `unreadable`. */
export function toDocument<S extends z.ZodType>(schema: S, value: unknown, asked: Asked): z.output<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  const place = first?.path.join('.') ?? '';
  throw unreadable(asked, place === '' ? 'no such document' : `at ${place}`);
}
