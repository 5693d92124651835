import { inspect } from 'node:util';
import type { TestEvent } from 'node:test/reporters';

/** Said is a line that the reporter writes for the runner. */
export type Said =
  | { readonly kind: 'test'; readonly name: string; readonly ms: number; readonly skip: string | null }
  | { readonly kind: 'failure'; readonly name: string; readonly message: string }
  /** What a test file wrote to stderr; where it cannot even be loaded, this says why. */
  | { readonly kind: 'stderr'; readonly text: string }
  | { readonly kind: 'counted'; readonly counts: Readonly<Record<string, number>> };

const COUNTED = /^counted: (.*)$/m;
/** Of a failure, so much is kept. */
const MESSAGE_CHARS = 6000;

/** countsIn reads what a test said that it did (`counted` of test/runs.ts), or null. */
export function countsIn(text: string): Record<string, number> | null {
  const told = COUNTED.exec(text)?.[1];
  if (told === undefined) return null;
  const counts: Record<string, number> = {};
  for (const one of told.split(', ')) {
    const [, count, what] = /^(\d+) (.+)$/.exec(one) ?? [];
    if (what !== undefined) counts[what] = (counts[what] ?? 0) + Number(count);
  }
  return counts;
}

/** The reporter of the torture: a line of JSON for each test that ended and each count that was told. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const said = toSaid(event);
    if (said !== null) yield `${JSON.stringify(said)}\n`;
  }
}

function toSaid(event: TestEvent): Said | null {
  if (event.type === 'test:diagnostic' || event.type === 'test:stdout') {
    const counts = countsIn(event.data.message);
    return counts === null ? null : { kind: 'counted', counts };
  }
  if (event.type === 'test:stderr') return { kind: 'stderr', text: event.data.message };
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return null;
  const { name, details, skip } = event.data;
  if (event.type === 'test:fail') {
    const { error } = event.data.details;
    // A suite fails because of a test in it, which was told already.
    if ((error as { failureType?: string }).failureType === 'subtestsFailed') return null;
    const message = inspect(error.cause ?? error).slice(0, MESSAGE_CHARS);
    return { kind: 'failure', name, message };
  }
  if (details.type === 'suite' && skip === undefined) return null;
  const said = skip === true || skip === '' ? 'skipped' : skip;
  const reason = said === undefined || said === false ? null : said;
  return { kind: 'test', name, ms: details.duration_ms, skip: reason };
}
