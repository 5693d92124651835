import { stretchesOf, type ImageHistory, type ImageRun, type Stretch } from '../history/index.ts';
import type { Period } from './period.ts';
import type { FindingRecord, ImageRecord } from './records.ts';

/** findingsOf gives the findings of an image that stood at some time of a period, in the order of CVE and time. */
export function findingsOf(history: ImageHistory, image: string | null, period: Period): FindingRecord[] {
  return stretchesOf(history).flatMap((stretch) =>
    stretch.from > period.to || (stretch.to !== null && stretch.to < period.from)
      ? []
      : [toFinding(history, stretch, image)],
  );
}

function toFinding(history: ImageHistory, stretch: Stretch, image: string | null): FindingRecord {
  const { episode, from, to, cve } = stretch;
  const [first] = episode.packages;
  return {
    digest: history.digest,
    image,
    cve,
    severity: episode.severity,
    worst: episode.worst,
    package: first?.name ?? null,
    fixed_version: first?.fixed ?? episode.packages.find(({ fixed }) => fixed !== null)?.fixed ?? null,
    first_seen_at: from,
    // A finding that came back stands since it did, whatever was before the record began.
    older: episode.older && from === episode.firstSeenAt,
    fixable_at: episode.fixableAt,
    exploited_at: episode.exploitedAt,
    exploited_until: episode.exploitedUntil,
    exploited_while_running_at: exploitedWhileRunning(stretch, history.runs),
    ran: stretch.ran,
    ended_at: to,
    ended: stretch.ended,
    superseded_by: stretch.supersededBy,
    successor_has_cve: stretch.successorHasCve,
  };
}

/** The first moment at which the finding stood, was known to be exploited, and a pod ran its image; null for never. */
function exploitedWhileRunning({ episode, from, to }: Stretch, runs: readonly ImageRun[]): number | null {
  if (episode.exploitedAt === null) return null;
  const start = Math.max(from, episode.exploitedAt);
  const end = Math.min(to ?? Infinity, episode.exploitedUntil ?? Infinity);
  const moments = runs.flatMap(({ firstSeenAt, lastSeenAt, endedAt }) => {
    const at = Math.max(start, firstSeenAt);
    const last = Math.min(end, endedAt === null ? Infinity : lastSeenAt);
    return at <= last ? [at] : [];
  });
  return moments.length === 0 ? null : Math.min(...moments);
}

/** imagesOf gives the times of a period during which an image ran, in the order of cluster and time. */
export function imagesOf(history: ImageHistory, image: string | null, { from, to }: Period): ImageRecord[] {
  return history.runs.flatMap((run) => {
    if (run.firstSeenAt > to || run.lastSeenAt < from) return [];
    return [
      {
        digest: history.digest,
        image,
        cluster: run.cluster === '' ? null : run.cluster,
        first_seen_at: run.firstSeenAt,
        last_seen_at: run.lastSeenAt,
        ended_at: run.endedAt,
        scanned_at: history.scans.findLast((scan) => scan <= run.lastSeenAt) ?? null,
      },
    ];
  });
}
