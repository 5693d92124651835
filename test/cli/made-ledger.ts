import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { ledgerRoutes } from '../../src/api/index.ts';
import { LedgerTree } from '../../src/ledger/index.ts';
import {
  anchorStates,
  auditLog,
  ledgerExport,
  ledgerReader,
  ledgerTree,
  openStore,
  type Store,
} from '../../src/store/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { grow, makeSigner, NOW, SILENT } from '../ledger/grown.ts';
import { startApi } from '../api/service.ts';
import { ipo, type Ran } from './fake-terminal.ts';

/** FOLDER is the directory of the files of one test file. */
export const FOLDER = mkdtempSync(join(tmpdir(), 'ipo-ledger-'));
after(() => rmSync(FOLDER, { recursive: true, force: true }));

/** at names a file there. */
export const at = (name: string): string => join(FOLDER, name);

/** ROWS is how many rows the ledger has; its checkpoint over the first 300 is kept in `kept.txt`. */
export const ROWS = 700;
/** signer is the key of the log. */
export const signer = makeSigner();
/** url is the address of its database, `whole` a whole export of it. */
export const url = `sqlite:${at('ledger.db')}`;
export const whole = at('whole.ndjson.zst');

const clock = { now: () => NOW };

/** sign signs a ledger as it stands. */
export const sign = (of: Store): Promise<unknown> =>
  new LedgerTree({ store: ledgerTree(of), signer, clock, log: SILENT }).checkpoint();

/** store is the opened database. */
export const store = await openStore({ url });
after(() => store.close());
await grow(store, 0, 300);
await sign(store);
const saved = await ipo(['ledger', 'checkpoint', '--database', url, '--save', at('kept.txt')]);
assert.equal(saved.code, 0, saved.err);
await grow(store, 300, ROWS);
await sign(store);
const exported = await ipo(['ledger', 'export', '--database', url, '-o', whole]);
assert.equal(exported.code, 0, exported.err);

/** serve starts a service over the database, on loopback, and gives the command line that asks it. It takes `now` for the time. */
export async function serve(t: TestContext, now = NOW): Promise<(...args: string[]) => Promise<Ran>> {
  const clock = { now: () => now };
  const tree = ledgerTree(store);
  const signing = new LedgerTree({ store: tree, signer, clock, log: SILENT });
  const { url: server } = await startApi(
    t,
    ledgerRoutes({
      ledger: ledgerReader(store),
      tree,
      signing,
      exporter: (request) => ledgerExport(store, request),
      anchors: anchorStates(store),
      spool: () => ({ rows: 0, delayed: false }),
      audit: auditLog(store, clock),
      clock,
      coldImagePolicy: 'AllowAndScan',
      cluster: null,
    }),
  );
  return (...args) => ipo([...args, '--server', server], { env: { IPO_TOKEN: 'viewer-token' } });
}

/** tampered makes a copy of the database that was tampered with. */
export async function tampered(name: string, ...statements: readonly string[]): Promise<string> {
  copyFileSync(at('ledger.db'), at(name));
  for (const end of ['-wal', '-shm'])
    if (existsSync(at(`ledger.db${end}`))) copyFileSync(at(`ledger.db${end}`), at(`${name}${end}`));
  const copy = await openStore({ url: `sqlite:${at(name)}` });
  await copy.write(async (transaction) => {
    for (const text of statements) await runText(transaction, text, []);
  });
  await copy.close();
  return `sqlite:${at(name)}`;
}
