import { formatTime, type Log } from '../base/index.ts';
import type { Account } from '../replicas/index.ts';
import type { PodRecord, RunningPod, SweepAccount } from './ports.ts';

/** A pod that was made so long before the last time that all replicas had answered was not made after it by another clock. */
const MARGIN = 5 * 60_000;

/**
 * isProven tells whether all that was reviewed of a pod is known: every replica has answered, or its review is there, it asks for no
 * break-glass that another row could report, and it is older than what any replica may hold. Pure.
 */
export function isProven(
  pod: RunningPod,
  record: PodRecord | undefined,
  { whole, since }: Pick<Account, 'whole' | 'since'>,
): boolean {
  if (whole) return true;
  if (record === undefined || pod.breakGlassReason !== null || since === null) return false;
  return pod.createdAt <= since - MARGIN;
}

/** Accounting asks whether replicas may hold rows, and says so in the log when that changes. */
export class Accounting {
  readonly #deps: { readonly account: SweepAccount; readonly lines: Log };
  /** Who might hold rows at the last sweep. */
  #holders = '';

  constructor(deps: { readonly account: SweepAccount; readonly lines: Log }) {
    this.#deps = deps;
  }

  /** To be called after the pods were listed, and before the ledger is read. */
  async ask(fence: number, signal: AbortSignal): Promise<Account> {
    const { account, lines } = this.#deps;
    const answer = await account(fence, signal);
    const holders = answer.holders.map(({ name }) => name).join(', ');
    if (holders !== this.#holders && holders !== '')
      lines.warn('replicas may hold rows of reviews; sweeps skip the pods of that time', {
        replicas: holders,
        since: answer.since === null ? null : formatTime(answer.since),
        hint: 'ipo cluster replicas shows them',
      });
    if (holders !== this.#holders && holders === '')
      lines.info('every row of every replica is accounted for');
    this.#holders = holders;
    return answer;
  }
}
