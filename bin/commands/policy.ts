import { Command } from 'commander';
import type { Settle } from '../main.ts';

/** policyCommand defines `ipo policy` and what stands below it. */
export function policyCommand(_settle: Settle): Command {
  return new Command('policy').description('Check, compare, format and start policies.');
}
