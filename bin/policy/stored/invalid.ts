import type { StoredPolicyBody } from '../../../src/api/contract/policies.ts';
import { clean } from '../../terminal/clean.ts';

/** invalidNote describes a policy that became invalid outside the service: what is wrong, what decides meanwhile, and how to fix it. */
export function invalidNote({ name, revision, invalid }: StoredPolicyBody): string {
  if (invalid === null || invalid === undefined) return '';
  const meanwhile = invalid.in_effect
    ? `its last valid revision ${revision.slice(0, 12)} stays in effect`
    : 'none of its revisions is in effect';
  return `${clean(name)} is not valid: ${clean(invalid.fault)}; ${meanwhile}.\n  Replace it with ipo policy apply FILE, or delete it with ipo policy delete ${clean(name)}.\n`;
}
