import { Attack, LISTS } from '../test/daemon/attack.ts';

/**
 * An attack on the API in a process of its own: `attack-load.ts URL TOKEN`, until its input ends. Calls each list, the health and the
 * metrics over 40 connections, exports over 20. Prints what was answered, by status.
 */
const [url = '', token = ''] = process.argv.slice(2);
const lists = new Attack(
  url,
  [...LISTS.map((path) => ({ path, token })), { path: '/metrics', token: null }],
  40,
);
const archives = new Attack(url, [{ path: '/api/v1/ledger/export?days=1', token }], 20);
process.stdin.resume();
process.stdin.on('end', () => void end());

async function end(): Promise<void> {
  const [answered, exported] = await Promise.all([lists.end(), archives.end()]);
  process.stdout.write(`${JSON.stringify({ lists: answered, exports: exported })}\n`);
  process.exit(0);
}
