import type { Verification } from '../ledger/index.ts';

/** agreesWithKept tells whether the rows were compared with a checkpoint that was stored outside the service. One that could not be compared vouches for nothing. */
export function agreesWithKept(ledger: Pick<Verification, 'checks'> | null): boolean {
  return ledger?.checks.some(({ check, state }) => check === 'kept_checkpoint' && state === 'held') ?? false;
}
