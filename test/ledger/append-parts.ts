import { Appender, type AppenderOptions } from '../../src/ledger/index.ts';
import { BusyLedger, MemoryLedger } from './memory-ledger.ts';
import { MemorySpool } from './memory-spool.ts';
import { handTimers, listen, tally } from './parts.ts';

/** openAppender opens an appender over a ledger and a spool in memory, with timers that go off when they are told to. */
export function openAppender(options: AppenderOptions & { readonly spool?: null } = {}) {
  const ledger = options.sidesteps === true ? new BusyLedger() : new MemoryLedger();
  const spool = new MemorySpool();
  const [timers, log, count] = [handTimers(), listen(), tally()];
  const deps = { writer: ledger, spool: options.spool === null ? null : spool, timers, log, count };
  return { ledger, spool, timers, log, count, appender: new Appender(deps, options) };
}

/** DEADLINE is that of the database in tests, in milliseconds. */
export const DEADLINE = 1000;
