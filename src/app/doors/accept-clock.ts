import type { Clock } from '../../base/index.ts';
import type { Recorded } from '../../ledger/index.ts';

/** AcceptedClock is what an operator accepted. */
export interface AcceptedClock {
  /** The newest time that was recorded by then, which counts no more; null when nothing was. UTC milliseconds. */
  readonly recorded: Recorded | null;
  /** Rows of the ledger by then. */
  readonly rows: number;
}

/**
 * acceptClockOf makes the times that a ledger has recorded so far count no more against the clocks of its replicas; it is audited. Throws
 * StoreError.
 */
export async function acceptClockOf(database: string, clock: Clock): Promise<AcceptedClock> {
  const { acceptClock, auditLog, openStore, recordedTimes } = await import('../../store/index.ts');
  const store = await openStore({ url: database, migrate: false, turn: 'behind', poolSize: 2 });
  try {
    const recorded = await recordedTimes(store).newest();
    return await store.write(async () => {
      const rows = await acceptClock(store);
      await auditLog(store, clock).record({
        actor: null,
        action: 'ledger_clock_accept',
        target: null,
        path: 'ipo ledger accept-clock',
        detail: { rows, recorded: recorded?.at ?? null },
      });
      return { recorded, rows };
    });
  } finally {
    await store.close();
  }
}
