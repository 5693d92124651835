import { run } from '../bin/main.ts';

/** One command in a process of its own: `evidence-measure.ts COMMAND…`. Prints milliseconds and the most memory that it took, in MB. */
async function* nothing(): AsyncGenerator<Uint8Array> {
  // nothing comes in
}

const began = performance.now();
let err = '';
const code = await run(process.argv.slice(2), {
  out: () => undefined,
  err: (text) => void (err += text),
  env: {},
  tty: { in: false, out: false, err: false },
  columns: 100,
  stdin: nothing(),
});
if (code !== 0) throw new Error(`exit ${code}: ${err}`);
const ms = performance.now() - began;
process.stdout.write(JSON.stringify({ ms, rss: process.resourceUsage().maxRSS / 1024 }));
