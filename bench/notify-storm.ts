import { setTimeout as sleep } from 'node:timers/promises';
import { lowerPriority, toIdleClass } from '../src/app/processes/lower-priority.ts';
import { LOWER_BY } from '../src/app/processes/part-messages.ts';
import { openStore } from '../src/store/index.ts';
import { writeEvents } from '../src/store/outbox/index.ts';
import { found } from '../test/notify/world.ts';

/**
 * A storm of critical findings in a process of its own, which has the turn and the priority of the service's part: `notify-storm.ts DATABASE`, 1,667 a second
 * until its input ends. Prints a line once it has begun, and in the end how its transactions held the lock.
 */
const [url = ''] = process.argv.slice(2);
const RATE = 1667;
/** Events of one transaction: as many as any of the service writes at once (triage that ran out). */
const BATCH = 100;
/** Findings of one image. */
const OF_ONE = 10;

lowerPriority(LOWER_BY.service);
toIdleClass();
const over = new AbortController();
process.stdin.resume();
process.stdin.on('end', () => over.abort());

const held: number[] = [];
const store = await openStore({ url, turn: 'behind', onWrite: (write) => void held.push(write.held) });
const began = performance.now();
for (let done = 0; !over.signal.aborted; done += BATCH) {
  const batch = Array.from({ length: BATCH }, (_, at) => {
    const image = Math.floor((done + at) / OF_ONE);
    return found(`CVE-2026-${done + at}`, `sha256:${image.toString(16).padStart(64, '0')}`);
  });
  await store.write((transaction) => writeEvents(transaction, batch, { at: Date.now() }));
  if (done === 0) process.stdout.write('began\n');
  await sleep(Math.max(0, began + (done / RATE) * 1000 - performance.now()));
}
await store.close();
held.sort((a, b) => a - b);
const [median = 0, worst = 0] = [held[held.length >> 1], held.at(-1)];
process.stdout.write(
  `${JSON.stringify({ seconds: (performance.now() - began) / 1000, held: held.length, median, worst })}\n`,
);
process.exit(0);
