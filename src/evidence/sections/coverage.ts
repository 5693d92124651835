import { byCodeUnit, DAY_MS, formatTime } from '../../base/index.ts';
import type { Period } from '../period.ts';
import type { EvidenceDay, SourceFacts } from '../ports.ts';
import { recordedSince } from '../recorded-since.ts';
import type { PodRecord } from '../records.ts';
import type { RowWalk } from '../row-walk.ts';

type Decision = 'decided' | 'bypassed' | 'exempt' | 'unreviewed';

/** PodTally counts pods by what was decided about them. */
export class PodTally {
  readonly #counts: Record<Decision, number> = { decided: 0, bypassed: 0, exempt: 0, unreviewed: 0 };

  take({ decision }: PodRecord): void {
    this.#counts[decision as Decision] += 1;
  }

  section() {
    return { file: 'pods.csv', ...this.#counts };
  }
}

/** coverageSection says what the package covers, and what it does not. `within` is the part of the period that has passed. */
export function coverageSection(pods: PodTally, walk: RowWalk, facts: SourceFacts, period: Period) {
  return {
    pods: pods.section(),
    exempt_namespaces: facts.exemptNamespaces,
    rows: {
      ledger: facts.ledger.rows,
      package: walk.rows,
      outside_period: walk.outside,
      left_out_by_request: walk.leftOut,
    },
    answering: facts.days === null ? null : answering(facts.days, facts, period),
    clusters: facts.clusters === null ? null : clusters(walk, facts, period),
    days:
      facts.days?.map((day) => ({
        cluster: day.cluster,
        date: formatTime(day.day * DAY_MS).slice(0, 10),
        minutes_answered: day.answered,
        sweeps: day.sweeps,
        partial_sweeps: day.partialSweeps,
        accounted_sweeps: day.accountedSweeps,
        detector_events: day.detectorEvents,
        detector_heartbeats: day.detectorHeartbeats,
      })) ?? null,
    recorded_since:
      facts.began?.map(({ record, cluster, at }) => ({ record, cluster, at: formatTime(at) })) ?? null,
  };
}

const MINUTE = 60_000;

/** Minutes of the period in which a replica of a cluster answered, those in which none did, and those of which nothing is known. */
function answering(days: readonly EvidenceDay[], facts: SourceFacts, { from, to }: Period) {
  const first = Math.floor(from / MINUTE);
  const end = Math.floor(to / MINUTE) + 1;
  return recordedSince(facts, 'answers').map(({ cluster, at }) => {
    const known = Math.max(first, Math.floor(at / MINUTE));
    const answered = days
      .filter((day) => day.cluster === cluster)
      .reduce((sum, day) => sum + (day.answered ?? 0), 0);
    const minutes = Math.max(0, end - known);
    return {
      cluster,
      answered,
      not_answered: Math.max(0, minutes - answered),
      unknown: Math.min(end, known) - first,
    };
  });
}

function clusters(walk: RowWalk, facts: SourceFacts, { to }: Period) {
  return (facts.clusters ?? [])
    .map(({ name, lastSeenAt }) => {
      const sent = walk.clusters.get(name);
      const silent = Math.min(lastSeenAt, to);
      return {
        name,
        last_row_at: sent === undefined ? null : formatTime(sent),
        sent_nothing_since: sent === undefined ? formatTime(silent) : null,
      };
    })
    .toSorted((a, b) => byCodeUnit(a.name, b.name));
}
