import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { toFileError } from '../../adapters/files/index.ts';
import { openFileSpool, readReplicaName, SpoolError } from '../../adapters/spool/index.ts';
import { IpoError, type Clock, type Log } from '../../base/index.ts';
import { Appender, leftIn, type Left } from '../../ledger/index.ts';
import { keptTimers } from '../running/timers.ts';

/** PutBackDeps are what a spool is put back with. */
export interface PutBackDeps {
  /** Directory of the spool. */
  readonly directory: string;
  /** `sqlite:PATH` or `postgres://…`; its schema must be that of this program. */
  readonly database: string;
  /** Milliseconds after which a database that takes no rows is waited for no longer. */
  readonly timeout: number;
  /** Whether rows go in also where the database does not know the replica: it may be that of another installation. */
  readonly unknownReplica: boolean;
  readonly log: Log;
  readonly clock: Clock;
}

/** PutBack is what became of a spool. */
export interface PutBack {
  /** What was found; null for an empty spool. */
  readonly found: Left | null;
  /** Rows that are in the database now, those among them that were there before. */
  readonly rows: number;
  /** Reviews that can never be stored: they are in `refused.ndjson` beside the spool. */
  readonly setAside: number;
  /** What the database did not take; null when nothing is left. */
  readonly left: Left | null;
  /** The replica that the spool belongs to, null where no name is there; and whether it counts as ended now. */
  readonly replica: string | null;
  readonly ended: boolean;
}

/**
 * putBack brings what a replica left in its spool into the ledger, with the uids of the reviews, so that nothing is there twice. The
 * replica counts as ended once nothing is left and no later life of it works elsewhere. Throws SpoolError, StoreError, `conflict` where the
 * database does not know the replica; `unavailable` while a process works on the spool.
 */
export async function putBack(deps: PutBackDeps): Promise<PutBack> {
  const { directory, database, timeout, unknownReplica, log, clock } = deps;
  await holdsSpool(directory);
  const { ledgerWriter, openStore, replicaLife, replicaStore } = await import('../../store/index.ts');
  const { lockSpool } = await import('../running/spool-lock.ts');
  await using opened = new AsyncDisposableStack();
  opened.adopt(await lockSpool(directory), (unlock) => unlock());
  const store = await openStore({ url: database, migrate: false, turn: 'behind', poolSize: 2 });
  opened.adopt(store, () => store.close());
  const spool = await openFileSpool({ directory, log });
  const found = leftIn(spool);
  const me = await readReplicaName(directory);
  const life = me === null ? null : await replicaLife(store, me.name);
  if (found !== null && me !== null && life === null && !unknownReplica)
    throw new IpoError('conflict', `the database does not know replica ${me.name}, whose spool this is`, {
      hint: 'Name the database of its installation; if this is it, put back from a backup: --unknown-replica',
    });
  const counted: Record<string, number> = {};
  const count = {
    add: (name: string, _: unknown = {}, by = 1): void => void (counted[name] = (counted[name] ?? 0) + by),
  };
  const appender = new Appender({ writer: ledgerWriter(store), spool, timers: keptTimers, log, count });
  await appender.close(timeout);
  const left = leftIn(spool);
  // A failed start may have counted a life only on the volume.
  const ended = me !== null && life !== null && life <= me.life && left === null;
  if (ended) await replicaStore(store).end(me.name, life, clock.now());
  return {
    found,
    left,
    ended,
    replica: me?.name ?? null,
    rows: counted['svc_ledger_put_back_rows_total'] ?? 0,
    setAside: counted['svc_ledger_set_aside_total'] ?? 0,
  };
}

/** Refuses a directory that no replica has worked in, before anything is made there. */
async function holdsSpool(directory: string): Promise<void> {
  const names = await readdir(directory).catch((cause: unknown) => {
    throw toFileError('unreadable', directory, cause);
  });
  if (names.some((name) => name === 'replica.json' || /^spool-\d+\.log$/.test(name))) return;
  const below = join(directory, 'spool');
  const isBelow = await access(join(below, 'replica.json')).then(
    () => true,
    () => false,
  );
  throw new SpoolError('unreadable', `${directory} is not the spool of a replica`, {
    hint: isBelow
      ? `Did you mean ${below}?`
      : 'It is spool/ in the data directory, unless ledger.spool.directory names another',
  });
}
