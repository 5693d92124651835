import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../src/store/index.ts';
import { writeEvents } from '../src/store/outbox/index.ts';
import { found } from '../test/notify/world.ts';

/** A storm of critical findings in a process of its own: `notify-storm.ts DATABASE`, 1,667 a second until its input ends. */
const [url = ''] = process.argv.slice(2);
const RATE = 1667;
const BATCH = 100;
/** Findings of one image. */
const OF_ONE = 10;

const over = new AbortController();
process.stdin.resume();
process.stdin.on('end', () => over.abort());

const store = await openStore({ url });
const began = performance.now();
for (let done = 0; !over.signal.aborted; done += BATCH) {
  const batch = Array.from({ length: BATCH }, (_, at) => {
    const image = Math.floor((done + at) / OF_ONE);
    return found(`CVE-2026-${done + at}`, `sha256:${image.toString(16).padStart(64, '0')}`);
  });
  await store.write((transaction) => writeEvents(transaction, batch, { at: Date.now() }));
  await sleep(Math.max(0, began + (done / RATE) * 1000 - performance.now()));
}
await store.close();
process.exit(0);
