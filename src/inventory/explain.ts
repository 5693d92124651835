import { explainScanFailure, type ScanFailure } from '../findings/index.ts';
import type { PolicyAnswer } from './compliance.ts';
import type { ImageState } from './state.ts';

/**
 * explainState says in one sentence why an image is in its state. For one that was admitted and is outside a policy now "its
 * detail reads that the next admission would be denied". `lastReason` is the sentence of its newest row, `missing` the platforms without a
 * scan, `failures` why it could not be scanned.
 */
export function explainState(
  state: ImageState,
  next: PolicyAnswer | null,
  lastReason: string,
  missing: readonly string[] = [],
  failures: readonly ScanFailure[] = [],
): string {
  const then = next === null ? null : explainNext(next);
  switch (state) {
    case 'Blocked':
      return `its last admission was denied${lastReason === '' ? '' : `: ${lastReason}`}; ${then ?? 'the next admission would be allowed'}`;
    case 'Unscanned':
      return `it has no completed scan${missing.length === 0 ? '' : ` for ${missing.join(', ')}`}${whyNot(failures)}; ${then ?? 'the next admission would be allowed'}`;
    case 'Compliant':
      return 'every policy that governs it admits it';
    case 'Not compliant':
      return then ?? '';
  }
}

/** Whether the image can be scanned at all is what its state hangs on. */
function whyNot(failures: readonly ScanFailure[]): string {
  return failures.length === 0 ? '' : ` (${failures.map(explainScanFailure).join('; ')})`;
}

/** explainNext says what the next admission would meet, as a clause. */
function explainNext({ verdict, policy, enforcement, reason }: PolicyAnswer): string {
  if (verdict === 'unknown') return `policy ${policy} cannot be answered: ${reason}`;
  return enforcement === 'Enforce'
    ? `the next admission would be denied by policy ${policy}: ${reason}`
    : `the next admission would be denied if policy ${policy} enforced: ${reason}`;
}
