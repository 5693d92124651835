import type { Count, Log } from '../../src/base/index.ts';
import type { LedgerEntry, LedgerRow, NewRow, Timers } from '../../src/ledger/index.ts';

export const AT = Date.parse('2026-11-20T06:00:00Z');

/** newRow makes a row of an admitted image. */
export function newRow(more: Partial<NewRow> = {}): NewRow {
  return {
    at: AT,
    kind: 'review',
    cluster: 'shop-eu',
    namespace: 'shop',
    pod: 'web-6d5c8b9f4-x2x9k',
    pod_uid: '54c38bde-c6be-415e-bf8b-1d88a8a0f971',
    container: 'web',
    image: 'registry.example/shop/web:1',
    digest: `sha256:${'a'.repeat(64)}`,
    allowed: true,
    reason: '',
    policy: 'shop',
    policy_revision: 'rev-1',
    signals: [],
    requester: 'system:serviceaccount:kube-system:replicaset-controller',
    inputs: 'f'.repeat(64),
    ...more,
  };
}

/** uidOf makes the uid of a review, as the API server writes them. */
export function uidOf(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** review makes an entry of `rows` rows. */
export function review(n: number, rows = 1, more: Partial<NewRow> = {}): LedgerEntry {
  return {
    uid: uidOf(n),
    rows: Array.from({ length: rows }, (_, i) => newRow({ at: AT + n, container: `c${i}`, ...more })),
  };
}

/** numbers gives the ids of rows. */
export function numbers(rows: readonly { readonly id: number | null }[]): (number | null)[] {
  return rows.map(({ id }) => id);
}

/** Spoken is a log that is remembered. */
export interface Spoken extends Log {
  readonly lines: readonly string[];
}

/** listen gives a log that remembers its lines as `level message`. */
export function listen(): Spoken {
  const lines: string[] = [];
  const say =
    (level: string) =>
    (message: string): void =>
      void lines.push(`${level} ${message}`);
  return { lines, debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
}

/** Counted is a counter that is remembered by name and labels. */
export interface Counted extends Count {
  readonly totals: Readonly<Record<string, number>>;
}

/** tally gives a counter that remembers. */
export function tally(): Counted {
  const totals: Record<string, number> = {};
  return {
    totals,
    add(name, labels = {}, by = 1) {
      const key = [name, ...Object.values(labels)].join(' ');
      totals[key] = (totals[key] ?? 0) + by;
    },
  };
}

/** HandTimers are timers that a test lets go off. */
export interface HandTimers extends Timers {
  /** Waits that were asked for and neither went off nor were taken back, in milliseconds. */
  readonly waits: readonly number[];
  /** Lets the first wait of so many milliseconds go off (the first of all unless said); false when there is none. */
  fire(ms?: number): boolean;
}

/** handTimers gives timers that go off when they are told to. */
export function handTimers(): HandTimers {
  let pending: { readonly ms: number; readonly act: () => void }[] = [];
  return {
    get waits() {
      return pending.map(({ ms }) => ms);
    },
    after(ms, act) {
      const timer = { ms, act };
      pending.push(timer);
      return () => {
        pending = pending.filter((other) => other !== timer);
      };
    },
    fire(ms) {
      const timer = pending.find((other) => ms === undefined || other.ms === ms);
      if (timer === undefined) return false;
      pending = pending.filter((other) => other !== timer);
      timer.act();
      return true;
    },
  };
}

/** realTimers are those of the system. */
export const realTimers: Timers = {
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/** until lets the event loop turn until something holds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  turns = 20_000,
): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`never happened: ${what}`);
}

/** all collects the rows of batches. */
export async function all(batches: AsyncIterable<readonly LedgerRow[]>): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}
