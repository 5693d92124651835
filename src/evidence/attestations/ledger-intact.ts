import { counted, formatCount } from '../../render/index.ts';
import type { RowsVerified } from '../ports.ts';
import { nothingRaised, type AttestationRule } from './attestation.ts';

/** ledgerIntact: the rows are those that were signed, and a checkpoint is held outside of the service. */
export const ledgerIntact: AttestationRule = {
  id: 'ledger-intact',
  title: 'The ledger is intact',
  population: 'rows of the ledger in the package',
  asks: 'Tree, proofs, signature and a checkpoint held outside of the service match.',
  begin({ facts }) {
    let verified: RowsVerified | null = null;
    return {
      rows(result) {
        verified = result;
      },
      end() {
        const { rows, holds } = verified ?? { rows: { count: 0, signed: 0 }, holds: true };
        const { anchors } = facts.ledger;
        const refused = (anchors ?? []).filter((anchor) => anchor.refused !== null).length;
        const held = (anchors ?? []).filter((anchor) => anchor.refused === null && anchor.size > 0).length;
        const counts = { anchors: held, anchors_refused: refused, unsigned: rows.count - rows.signed };
        const figures = {
          population: rows.count,
          passed: rows.signed,
          failed: rows.count - rows.signed,
          counts,
        };
        if (!holds || refused > 0) {
          const because = holds
            ? 'A place outside of the service holds a checkpoint that this ledger does not continue.'
            : 'The rows differ from the signed rows: verification of the ledger failed.';
          return { ...figures, state: 'gap', because, ...(holds ? {} : { passed: 0, failed: rows.count }) };
        }
        if (rows.count === 0) return nothingRaised('rows', '', counts);
        const signed = `Of ${counted(rows.count, 'row')}, ${formatCount(rows.signed)} ${rows.signed === 1 ? 'matches' : 'match'} the signed tree`;
        if (rows.signed < rows.count)
          return { ...figures, state: 'partial', because: `${signed}; the others are not signed.` };
        if (held === 0) {
          const why = anchors === null ? 'this source does not say whether' : 'no place';
          const rest =
            anchors === null
              ? `${why} a place outside of the service holds a checkpoint.`
              : `${why} outside of the service holds a checkpoint.`;
          return { ...figures, state: 'partial', because: `${signed}, but ${rest}` };
        }
        const because = `${signed}, and ${counted(held, 'place')} outside of the service ${held === 1 ? 'holds' : 'hold'} a checkpoint that it continues.`;
        return { ...figures, state: 'met', because };
      },
    };
  },
};
