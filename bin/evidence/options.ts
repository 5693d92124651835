import type { LedgerFlags } from '../ledger/source-flags.ts';

/** EvidencePeriodFlags say which period is meant. */
export interface EvidencePeriodFlags {
  readonly period?: string;
  readonly days?: string;
  readonly from?: string;
  readonly to?: string;
}

/** EvidenceCreateOptions are the flags of `ipo evidence create`. */
export interface EvidenceCreateOptions extends EvidencePeriodFlags, LedgerFlags {
  readonly framework: readonly string[];
  readonly cluster: readonly string[];
  readonly namespace: readonly string[];
  readonly out?: string;
  readonly force?: true;
  readonly includeRuntimeRaw?: true;
  readonly wait: boolean;
  readonly coldImagePolicy?: 'AllowAndScan' | 'DenyUntilScanned';
  readonly publicUrl?: string;
  readonly clusterName?: string;
  readonly key?: string;
  readonly organisation?: string;
  readonly contact?: string;
  readonly at?: string;
  readonly output: readonly string[];
}

/** EvidenceVerifyOptions are the flags of `ipo evidence verify`. */
export interface EvidenceVerifyOptions {
  readonly key: readonly string[];
  readonly tsaCert: readonly string[];
  readonly ledgerKey: readonly string[];
  readonly checkpoint: readonly string[];
  readonly strict?: true;
  readonly output: readonly string[];
}

/** EvidenceSampleOptions are the flags of `ipo evidence sample`. */
export interface EvidenceSampleOptions {
  readonly population: string;
  readonly size: string;
  readonly seed: string;
  readonly proofs?: string;
  readonly output: readonly string[];
}

/** EvidenceShowOptions are the flags of the commands that only print. */
export interface EvidenceShowOptions {
  readonly output: readonly string[];
}
