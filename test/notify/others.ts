import type { TestContext } from 'node:test';
import { startInbox, type Inbox } from '../../fakes/index.ts';
import { openWriterQueues, type Line } from '../../src/adapters/transport/index.ts';

/** How long an answer is waited for where the other side is not made to keep silent: a busy machine answers late. Milliseconds. */
const ANSWER_MS = 10_000;

/** lineOf gives a line that waits for nobody. */
export function lineOf(now: () => number, timeoutMs = () => ANSWER_MS): Line {
  // Who waits has waited: time does not pass by itself here.
  let waited = 0;
  const clock = { now, monotonic: () => now() + waited };
  return {
    rules: { testLoopback: true, privateNetworks: 'allow', denied: [] },
    queues: openWriterQueues({ clock, wait: async (ms) => void (waited += ms) }),
    clock,
    userAgent: 'ipo/test',
    get timeoutMs() {
      return timeoutMs();
    },
  };
}

/** startSide starts the other side of channels; it ends with the test. */
export async function startSide(t: TestContext): Promise<Inbox> {
  const inbox = await startInbox();
  t.after(() => inbox.close());
  return inbox;
}
