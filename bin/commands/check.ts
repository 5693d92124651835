import { Command } from 'commander';
import type { Settle } from '../main.ts';

/** checkCommand defines `ipo check`. */
export function checkCommand(_settle: Settle): Command {
  return new Command('check').description('Decide images or manifests offline.');
}
