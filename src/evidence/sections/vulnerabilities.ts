import type { Period } from '../period.ts';
import type { FindingRecord } from '../records.ts';

const LEVELS = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'UNKNOWN'] as const;

interface Level {
  severity: (typeof LEVELS)[number];
  stood: number;
  raised: number;
  fixed: number;
  triaged: number;
  image_retired: number;
  platform_retired: number;
  open_at_end: number;
}

/** FindingTally counts findings by severity and by how they ended. */
export class FindingTally {
  readonly #period: Period;
  readonly #levels: ReadonlyMap<string, Level>;
  #exploited = 0;
  #older = 0;
  #total = 0;

  constructor(period: Period) {
    this.#period = period;
    this.#levels = new Map(
      LEVELS.map((severity) => [
        severity,
        {
          severity,
          stood: 0,
          raised: 0,
          fixed: 0,
          triaged: 0,
          image_retired: 0,
          platform_retired: 0,
          open_at_end: 0,
        },
      ]),
    );
  }

  take(finding: FindingRecord): void {
    const level = this.#levels.get(finding.worst ?? '') ?? (this.#levels.get('UNKNOWN') as Level);
    this.#total += 1;
    level.stood += 1;
    if (finding.older === true) this.#older += 1;
    else if ((finding.first_seen_at ?? 0) >= this.#period.from) level.raised += 1;
    if (finding.exploited_while_running_at !== null) this.#exploited += 1;
    const { ended, ended_at: at } = finding;
    if (at === null || at > this.#period.to) level.open_at_end += 1;
    else if (
      ended === 'fixed' ||
      ended === 'triaged' ||
      ended === 'image_retired' ||
      ended === 'platform_retired'
    )
      level[ended] += 1;
  }

  section() {
    return {
      file: 'vulnerabilities.csv',
      total: this.#total,
      known_exploited_while_running: this.#exploited,
      older_than_the_record: this.#older,
      by_severity: [...this.#levels.values()],
    };
  }
}
