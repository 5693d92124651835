import type { EvidenceDocument } from '../document.ts';
import { countStates } from '../report/words.ts';

/** PackageSummary is what a package comes to, in short. */
export type PackageSummary = Omit<ReturnType<typeof summaryOf>, 'rows_in_period' | 'rows_left_out'> & {
  /** Missing in summaries that earlier releases stored. */
  readonly rows_in_period?: number;
  readonly rows_left_out?: number;
};

/** summaryOf says what a package comes to. */
export function summaryOf(document: EvidenceDocument) {
  const { rows } = document.coverage;
  return {
    id: document.id,
    made_at: document.made_at,
    period: document.period,
    organisation: document.organisation.name,
    key_id: document.generation.key_id,
    rows: document.ledger.rows,
    // A package of an export has all of its rows, also those outside the period.
    rows_in_period: rows.package - rows.outside_period,
    rows_left_out: rows.left_out_by_request,
    signed: document.ledger.signed,
    states: countStates(document),
    frameworks: document.requirements.map(({ id, name, summary, requirements }) => ({
      id,
      name,
      ...summary,
      requirements: requirements.length,
    })),
    attestations: document.attestations.map(({ id, title, state, because, population, passed, failed }) => ({
      id,
      title,
      state,
      because,
      population,
      passed,
      failed,
    })),
    limits: document.limits,
  };
}
