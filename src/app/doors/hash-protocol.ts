import type { LeafRun } from '../../ledger/index.ts';
import type { CarriedFault } from '../programs/carried-fault.ts';

/** ToHashThread asks for the rows with numbers above `after` up to `last`; null ends the thread. */
export type ToHashThread = { readonly after: number; readonly last: number } | null;

/** FromHashThread are `ready` once a thread can be asked, then its answers in the order in which it was asked. */
export type FromHashThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'rows'; readonly runs: readonly LeafRun[] }
  | { readonly kind: 'failed'; readonly fault: CarriedFault };
