import type { Check } from '../check.ts';
import { CHANNEL_CHECKS } from './channels.ts';
import { CLUSTER_STANDING } from './cluster.ts';
import type { ServiceFacts } from './facts.ts';
import { LEDGER_CHECKS } from './ledger.ts';
import { SCAN_CHECKS } from './scans.ts';
import { UPKEEP_CHECKS } from './upkeep.ts';

/** SERVICE_CHECKS are what a running service is examined by, in the order of a report. */
export const SERVICE_CHECKS: readonly Check<ServiceFacts>[] = [
  ...LEDGER_CHECKS,
  ...CLUSTER_STANDING,
  ...SCAN_CHECKS,
  ...CHANNEL_CHECKS,
  ...UPKEEP_CHECKS,
];
