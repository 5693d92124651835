import { PACKAGE_ID } from '../../../src/evidence/index.ts';
import { clean } from '../../terminal/clean.ts';
import { UsageError } from '../../terminal/usage.ts';

/** holdId refuses what cannot be the ID of a package or a declaration, and names the list that shows them. Throws UsageError. */
export function holdId(id: string, thing: 'package' | 'declaration'): void {
  if (PACKAGE_ID.test(id)) return;
  const list = thing === 'package' ? 'list' : 'declarations';
  throw new UsageError(`${clean(id)}: not the ID of a ${thing}`, `ipo evidence ${list} shows their IDs`);
}
