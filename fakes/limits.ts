import { WRITES, type CallAct } from './wire.ts';
import type { FakeKind } from './state.ts';

/** Limits are how much one token may ask of a tracker; Infinity where there is no limit. */
export interface Limits {
  readonly perHour: number;
  readonly writesPerMinute: number;
  readonly writesPerHour: number;
}

/** NO_LIMITS never refuses; the headers still say what the vendor's would. */
export const NO_LIMITS: Limits = { perHour: Infinity, writesPerMinute: Infinity, writesPerHour: Infinity };

/** VENDOR_LIMITS are the figures of the vendors, as far as they publish them. */
export const VENDOR_LIMITS: Readonly<Record<FakeKind, Limits>> = {
  github: { perHour: 5000, writesPerMinute: 80, writesPerHour: 500 },
  'github-enterprise': NO_LIMITS,
  gitlab: { perHour: 120_000, writesPerMinute: 300, writesPerHour: Infinity },
  'jira-cloud': { perHour: 36_000, writesPerMinute: 600, writesPerHour: Infinity },
  'jira-gateway': { perHour: 36_000, writesPerMinute: 600, writesPerHour: Infinity },
  'jira-datacenter': { perHour: 36_000, writesPerMinute: Infinity, writesPerHour: Infinity },
};

/** Spent is how one token stands after a request: times in milliseconds. */
export interface Spent {
  readonly used: number;
  readonly limit: number;
  readonly resetAt: number;
  readonly over: 'primary' | 'secondary' | null;
  readonly retryMs: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Meter counts what each token asks, by the fake's clock. */
export class Meter {
  readonly #limits: Limits;
  readonly #shown: number;
  readonly #windows = new Map<string, { start: number; used: number; writes: number[] }>();

  constructor(kind: FakeKind, limits: Limits) {
    this.#limits = limits;
    this.#shown = VENDOR_LIMITS[kind].perHour;
  }

  /** count takes one request of a token into account and says whether it is over a limit. */
  count(token: string, act: CallAct, now: number): Spent {
    let window = this.#windows.get(token);
    if (window === undefined || now - window.start >= HOUR) {
      window = { start: now, used: 0, writes: (window?.writes ?? []).filter((at) => now - at < HOUR) };
      this.#windows.set(token, window);
    }
    const { perHour, writesPerMinute, writesPerHour } = this.#limits;
    const resetAt = window.start + HOUR;
    const limit = [perHour, this.#shown].find(Number.isFinite) ?? 5000;
    const spent = { used: Math.min(window.used + 1, limit), limit, resetAt };
    if (window.used >= perHour) return { ...spent, over: 'primary', retryMs: resetAt - now };
    window.used += 1;
    if (!WRITES.has(act)) return { ...spent, over: null, retryMs: 0 };
    const recent = window.writes.filter((at) => now - at < HOUR);
    const lastMinute = recent.filter((at) => now - at < MINUTE);
    window.writes = recent;
    if (lastMinute.length >= writesPerMinute) {
      return { ...spent, over: 'secondary', retryMs: (lastMinute[0] ?? now) + MINUTE - now };
    }
    if (recent.length >= writesPerHour) {
      return { ...spent, over: 'secondary', retryMs: (recent[0] ?? now) + HOUR - now };
    }
    window.writes.push(now);
    return { ...spent, over: null, retryMs: 0 };
  }
}
