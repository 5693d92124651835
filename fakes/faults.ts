import type { CallAct } from './wire.ts';

/** Stage says whether a fault strikes before the tracker did what was asked, or after it. */
export type Stage = 'before' | 'after';

/**
 * Fault is what goes wrong with one request. `reset` drops the connection, `hang` never answers, `status` answers with
 * an error of a server or proxy, `limited` with the vendor's own rate limit (`secondary`: with GitHub's 403), `html`
 * with a page, `truncated` with half of the answer, `oversized` with more than anybody should read, `bomb` with the
 * same compressed, `redirect` leads to another host, `answer` is whatever a test makes up instead of doing anything.
 */
export type Fault =
  | { readonly kind: 'reset' | 'hang' | 'truncated' | 'oversized' | 'bomb'; readonly stage: Stage }
  | { readonly kind: 'status'; readonly stage: Stage; readonly status: number; readonly retryAfter?: string }
  | { readonly kind: 'html'; readonly stage: Stage; readonly status: number }
  | { readonly kind: 'limited'; readonly retryAfter: string | null; readonly secondary?: boolean }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  | { readonly kind: 'redirect'; readonly status: 301 | 302 | 303 | 307 | 308; readonly to?: string };

/**
 * FAULTS are the faults of the matrix by name. Beside each stands what a client can know of a write that met it:
 * 'no' (it did not happen) or 'unknown'.
 */
export const FAULTS = {
  'reset before effect': { fault: { kind: 'reset', stage: 'before' }, happened: 'unknown' },
  'reset after effect': { fault: { kind: 'reset', stage: 'after' }, happened: 'unknown' },
  'timeout before effect': { fault: { kind: 'hang', stage: 'before' }, happened: 'unknown' },
  'timeout after effect': { fault: { kind: 'hang', stage: 'after' }, happened: 'unknown' },
  '500 before effect': { fault: { kind: 'status', stage: 'before', status: 500 }, happened: 'unknown' },
  '502 after effect': { fault: { kind: 'status', stage: 'after', status: 502 }, happened: 'unknown' },
  '503 with Retry-After': {
    fault: { kind: 'status', stage: 'before', status: 503, retryAfter: '30' },
    happened: 'unknown',
  },
  '429 with Retry-After': { fault: { kind: 'limited', retryAfter: '60' }, happened: 'no' },
  '429 with a date': { fault: { kind: 'limited', retryAfter: 'date' }, happened: 'no' },
  '429 without Retry-After': { fault: { kind: 'limited', retryAfter: null }, happened: 'no' },
  '403 secondary limit': { fault: { kind: 'limited', retryAfter: '60', secondary: true }, happened: 'no' },
  '200 with HTML before effect': {
    fault: { kind: 'html', stage: 'before', status: 200 },
    happened: 'unknown',
  },
  '200 with HTML after effect': { fault: { kind: 'html', stage: 'after', status: 200 }, happened: 'unknown' },
  '403 with HTML': { fault: { kind: 'html', stage: 'before', status: 403 }, happened: 'no' },
  'truncated JSON after effect': { fault: { kind: 'truncated', stage: 'after' }, happened: 'unknown' },
  'oversized answer after effect': { fault: { kind: 'oversized', stage: 'after' }, happened: 'unknown' },
  'compressed bomb after effect': { fault: { kind: 'bomb', stage: 'after' }, happened: 'unknown' },
  'redirect 302 to another host': { fault: { kind: 'redirect', status: 302 }, happened: 'no' },
  'redirect 307 to another host': { fault: { kind: 'redirect', status: 307 }, happened: 'no' },
} as const satisfies Readonly<Record<string, { fault: Fault; happened: 'no' | 'unknown' }>>;

/** FaultName is one of FAULTS. */
export type FaultName = keyof typeof FAULTS;

/** When says which request: the n-th from now (from 1) of an act, or of any. */
export interface When {
  readonly act?: CallAct;
  readonly nth?: number;
  /** times is how many requests in a row from that one; 1 unless said. */
  readonly times?: number;
}

/** Moment is what a test does around a request: a person acts, the clock moves, the process ends, the tracker goes down. */
export type Moment = () => void | Promise<void>;

/** MomentStage is when: before or after the tracker did what was asked, or once its answer went out. */
export type MomentStage = Stage | 'answered';

interface Due {
  readonly stage: MomentStage;
  readonly moment: Moment;
}

interface Planned<T> {
  readonly act: CallAct | undefined;
  readonly what: T;
  skip: number;
  left: number;
}

/** Faults are those that wait for their request. Each strikes once, or as often as it was told to. */
export class Faults {
  readonly #faults: Planned<Fault>[] = [];
  readonly #moments: Planned<Due>[] = [];

  /** inject lays a fault in wait, by its name in FAULTS or as it is. */
  inject(when: When, fault: FaultName | Fault): void {
    this.#faults.push(plan(when, typeof fault === 'string' ? FAULTS[fault].fault : fault));
  }

  /** at runs something around a request. */
  at(when: When, stage: MomentStage, moment: Moment): void {
    this.#moments.push(plan(when, { stage, moment }));
  }

  /** waiting counts the faults and moments that no request met yet; a test that injected one expects 0 at its end. */
  get waiting(): number {
    return this.#faults.length + this.#moments.length;
  }

  /** clear forgets all. */
  clear(): void {
    this.#faults.length = 0;
    this.#moments.length = 0;
  }

  /** take gives the fault and the moments that meet a request. Only the server asks. */
  take(act: CallAct): { readonly fault: Fault | null; readonly moments: readonly Due[] } {
    return { fault: due(this.#faults, act, 1)[0] ?? null, moments: due(this.#moments, act, Infinity) };
  }
}

function plan<T>({ act, nth = 1, times = 1 }: When, what: T): Planned<T> {
  return { act, what, skip: nth - 1, left: times };
}

function due<T>(planned: Planned<T>[], act: CallAct, most: number): T[] {
  const found: T[] = [];
  for (const one of [...planned]) {
    if (one.act !== undefined && one.act !== act) continue;
    if (one.skip > 0) {
      one.skip -= 1;
      continue;
    }
    if (found.length === most) break;
    found.push(one.what);
    one.left -= 1;
    if (one.left <= 0) planned.splice(planned.indexOf(one), 1);
  }
  return found;
}
