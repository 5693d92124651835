import type { StoredPolicyBody } from '../../../src/api/contract/policies.ts';
import { clean } from '../../terminal/clean.ts';

/** invalidNote says of a policy that was made invalid beside the service what is wrong, what decides meanwhile, and what mends it. */
export function invalidNote({ name, revision, invalid }: StoredPolicyBody): string {
  if (invalid === null || invalid === undefined) return '';
  const meanwhile = invalid.in_effect
    ? `its last valid revision ${revision.slice(0, 12)} stays in effect`
    : 'no revision of it is in effect';
  return `${clean(name)} is not valid: ${clean(invalid.fault)}; ${meanwhile}.\n  Replace it with ipo policy apply FILE, or delete it with ipo policy delete ${clean(name)}.\n`;
}
