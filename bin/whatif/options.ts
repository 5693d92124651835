import type { ServiceFlags } from '../service/index.ts';

/** WhatIfOptions are the flags of `ipo whatif` as commander gives them. */
export interface WhatIfOptions extends Omit<ServiceFlags, 'server'> {
  readonly ledger?: string;
  readonly database?: string;
  /** True when it is given without an address. */
  readonly server?: string | true;
  readonly coldImagePolicy?: 'AllowAndScan' | 'DenyUntilScanned';
  readonly days: string;
  readonly limit: string;
  readonly source?: string;
  readonly asOf?: string;
  readonly keep?: true;
  readonly failOn?: readonly string[];
  readonly strict?: true;
  readonly all?: true;
  readonly selfCheck?: true;
  readonly output?: readonly string[];
}
