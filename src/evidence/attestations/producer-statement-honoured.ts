import { overRevisions } from './over-revisions.ts';

/**
 * producerStatementHonoured: producers' statements are applied, from issuers that are named. A finding is only taken out by a statement
 * of a trusted issuer, which is recorded with the image, so every suppression names its statement.
 */
export const producerStatementHonoured = overRevisions(
  {
    id: 'producer-statement-honoured',
    title: "Producers' statements are honoured",
    population: 'revisions in effect in the period',
    asks: 'Each applies VEX statements of trusted issuers, and every suppression names its statement.',
  },
  "apply producers' statements on vulnerabilities (VEX) from issuers that are named",
  () => true,
  ({ policy }) => policy.spec.vex.mode === 'apply' && policy.spec.vex.trustedIssuers.length > 0,
);
