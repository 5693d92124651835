import type { TrackerError, TrackerFault } from './tracker-error.ts';

/**
 * What one issue, or where it is routed, can be at fault for (an archived repository and a locked issue are forbidden); anything else every
 * other call of the channel would meet too.
 */
const OF_ONE_ISSUE: ReadonlySet<TrackerFault> = new Set([
  'invalid',
  'forbidden',
  'gone',
  'not_found',
  'moved',
]);
const OF_THE_HOST: ReadonlySet<TrackerFault> = new Set([
  'address',
  'network',
  'timeout',
  'reset',
  'server',
  'unreadable',
]);

/** concernsChannel tells a fault that every other call of the channel would meet too from one of a single issue. */
export function concernsChannel({ fault }: TrackerError): boolean {
  return !OF_ONE_ISSUE.has(fault);
}

/** concernsHost tells a fault of the provider's host from one of the channel's credential. */
export function concernsHost({ fault }: TrackerError): boolean {
  return OF_THE_HOST.has(fault);
}
