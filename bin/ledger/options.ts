import type { LedgerFlags } from './source-flags.ts';

/** PeriodFlags say which rows are meant by their time. */
export interface PeriodFlags {
  readonly days?: string;
  readonly from?: string;
  readonly to?: string;
}

/** LedgerExportOptions are the flags of `ipo ledger export` as commander gives them. */
export interface LedgerExportOptions extends LedgerFlags, PeriodFlags {
  readonly output: readonly string[];
  readonly coldImagePolicy: 'AllowAndScan' | 'DenyUntilScanned';
  readonly cluster?: string;
  readonly force?: true;
}

/** LedgerVerifyOptions are the flags of `ipo ledger verify`. */
export interface LedgerVerifyOptions extends LedgerFlags {
  readonly proof?: string;
  readonly key?: readonly string[];
  readonly checkpoint?: readonly string[];
  readonly days?: string;
  readonly strict?: true;
  readonly output?: readonly string[];
}

/** LedgerProveOptions are the flags of `ipo ledger prove`. */
export interface LedgerProveOptions extends LedgerFlags {
  readonly output: readonly string[];
}

/** LedgerCheckpointOptions are the flags of `ipo ledger checkpoint`. */
export interface LedgerCheckpointOptions extends LedgerFlags {
  readonly save?: string;
  readonly verify?: true;
  readonly key?: readonly string[];
  readonly output: readonly string[];
}

/** LedgerListOptions are the flags of `ipo ledger list`. */
export interface LedgerListOptions extends LedgerFlags, PeriodFlags {
  readonly namespace?: string;
  readonly image?: string;
  readonly digest?: string;
  readonly label?: string;
  readonly policy?: string;
  readonly refused?: true;
  readonly breakGlass?: true;
  readonly limit: string;
  readonly offset: string;
  readonly output?: readonly string[];
}

/** LedgerPutBackOptions are the flags of `ipo ledger put-back`. */
export interface LedgerPutBackOptions {
  readonly database?: string;
  readonly timeout: string;
  readonly unknownReplica?: boolean;
  readonly output?: readonly string[];
}

/** LedgerAcceptClockOptions are the flags of `ipo ledger accept-clock`. */
export interface LedgerAcceptClockOptions {
  readonly database?: string;
  readonly output?: readonly string[];
}
