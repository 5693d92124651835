/** SEVERITIES are the levels a finding can have, least severe first. `UNKNOWN` never counts for a threshold. */
export const SEVERITIES = ['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;

/** Severity is the level a scanner gave a finding. */
export type Severity = (typeof SEVERITIES)[number];

const RANK: ReadonlyMap<string, number> = new Map(SEVERITIES.map((name, rank) => [name, rank]));

/** severityRank gives 0 (`UNKNOWN`) to 4 (`CRITICAL`), or undefined for a text that is not a severity. */
export function severityRank(text: string): number | undefined {
  return RANK.get(text);
}
