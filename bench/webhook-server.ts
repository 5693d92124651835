import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openListener } from '../src/api/admission/index.ts';
import { serveFixed, serveRow } from './webhook-bare.ts';
import { log, openReviewer, timers } from './webhook-ours.ts';

/**
 * A server to measure, in a process of its own: `webhook-server.ts bare|row|ours FOLDER`. `bare` answers a fixed body over
 * `node:https`, `row` makes one SQLite row of each review durable, `ours` is the webhook with a durable ledger. Tells its port, then
 * its use of the machine each time it is asked.
 */
const [what, folder = ''] = process.argv.slice(2);
const certificate = {
  cert: readFileSync(join(folder, 'bench.crt'), 'utf8'),
  key: readFileSync(join(folder, 'bench.key'), 'utf8'),
};

function served(): Promise<number> {
  if (what === 'bare') return serveFixed(certificate);
  return what === 'row' ? serveRow(certificate, folder) : ours();
}

process.send?.({
  port: await served(),
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: (user + system) / 1e6, rss: process.memoryUsage.rss() / 1048576 });
});

async function ours(): Promise<number> {
  const { reviewer, tally } = await openReviewer(folder);
  const listener = openListener({ reviewer, tally, certificate, log, timers });
  return (await listener.listen('127.0.0.1', 0)).port;
}
