import { ledgerWriter, openStore } from '../src/store/index.ts';

/** Appends 300 rows a second, each in a commit of its own, until it is told to end; prints how long the commits waited for the lock. */
const [url = ''] = process.argv.slice(2);
const EVERY = 1000 / 300;
const waits: number[] = [];
const store = await openStore({ url, turn: 'first', onWrite: ({ waited }) => void waits.push(waited) });
const writer = ledgerWriter(store);
let count = 0;
await writer.follow();
const append = async (): Promise<unknown> => {
  const review = [
    {
      uid: `00000000-0000-4000-9000-${process.pid.toString(16).padStart(6, '0').slice(-6)}${(count += 1).toString(16).padStart(6, '0')}`,
      rows: [
        {
          ...{ at: Date.now(), namespace: 'shop', pod: `web-${count}`, container: 'web' },
          ...{
            image: `ghcr.io/acme/web:${count % 50}`,
            digest: `sha256:${(count % 50).toString(16).padStart(64, '1')}`,
          },
          ...{ allowed: true, reason: '' },
        },
      ],
    },
  ];
  return writer.appendNow?.(review) ?? writer.appendAll(review); // as `Appender` does
};
await append();
waits.length = 0;
process.stdout.write('ready\n');
const told = { end: false };
process.stdin.once('data', () => (told.end = true));
let last: Promise<unknown> = Promise.resolve();
let due = performance.now();
while (!told.end) {
  await new Promise((next) => setTimeout(next, Math.max(0, due - performance.now())));
  due += EVERY;
  last = append();
}
await last;
await store.close();
waits.sort((a, b) => a - b);
const at = (share: number): number =>
  waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? NaN;
process.stdout.write(
  `${JSON.stringify({ count: waits.length, median: at(0.5), p99: at(0.99), worst: at(1) })}\n`,
);
process.exit();
