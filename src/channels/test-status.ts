import { formatTime } from '../base/index.ts';
import type { ChannelTest } from './ports.ts';

/** TestStatus says what a test came to; of a `limited` one it is not known whether the channel works. */
export type TestStatus = 'works' | 'fails' | 'limited';

/** ToldTest is a test as it is told; `limitedUntil` is UTC milliseconds. */
export interface ToldTest {
  readonly status: TestStatus;
  readonly detail: string;
  readonly limitedUntil: number | null;
}

/** tellTest words a test that ended at a time: of a limit it says when it ends, and in how long. */
export function tellTest({ works, sentence, limitedMs }: ChannelTest, now: number): ToldTest {
  if (limitedMs === undefined)
    return { status: works ? 'works' : 'fails', detail: sentence, limitedUntil: null };
  const until = Math.ceil((now + limitedMs) / 1000) * 1000;
  const seconds = Math.max(1, Math.ceil(limitedMs / 1000));
  const minutes = Math.ceil(seconds / 60);
  const left = seconds < 120 ? `${seconds} ${seconds === 1 ? 'second' : 'seconds'}` : `${minutes} minutes`;
  const end = `${formatTime(until).slice(0, 19).replace('T', ' ')} UTC`;
  return {
    status: 'limited',
    detail: `${sentence}; the limit ends at ${end}, in ${left}`,
    limitedUntil: until,
  };
}
