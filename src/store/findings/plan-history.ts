import { missingProof, type FoundStamp } from '../../trackers/index.ts';
import { COLUMNS, type Episode, type HistoryCause, type MadeScan } from './episode.ts';
import type { Standing } from './standing.ts';

/** Of one that is reported, or has ended: nothing is waited for. */
const NEVER_MISSED = { unreported_at: null, found_scanner: null, found_db_at: null, found_scan_at: null };

/** planHistory gives the episodes that changed, from what stands now and what was open; `at` is UTC milliseconds. */
export function planHistory(
  standing: ReadonlyMap<string, Standing>,
  open: readonly Episode[],
  at: number,
  cause: HistoryCause,
): Episode[] {
  const changed: Episode[] = [];
  const known = new Set<string>();
  const made = typeof cause === 'object' ? cause : null;
  const when = made?.scannedAt ?? at;
  for (const episode of open) {
    known.add(episode.cve);
    const now = standing.get(episode.cve);
    const next = now === undefined ? missed(episode, cause, when) : goOn(episode, now, when, at);
    if (next !== episode) changed.push(next);
  }
  for (const [cve, now] of standing) if (!known.has(cve)) changed.push(begun(cve, now, when, at, made));
  return changed;
}

function begun(cve: string, now: Standing, when: number, at: number, made: MadeScan | null): Episode {
  const { rank, package: name, fixed, others, isFixable, isExploited } = now;
  return {
    cve,
    first_seen_at: when,
    first_scan: made?.id ?? null,
    rank,
    worst: rank,
    package: name,
    fixed,
    others,
    fixable_at: isFixable ? when : null,
    exploited_at: isExploited ? at : null,
    exploited_until: null,
    ...NEVER_MISSED,
    ended_at: null,
    ended_scan: null,
    ended_by: null,
  };
}

/** It is reported; the same row where it is reported as before. */
function goOn(episode: Episode, now: Standing, when: number, at: number): Episode {
  const next: Episode = {
    ...episode,
    rank: now.rank,
    package: now.package,
    fixed: now.fixed,
    others: now.others,
    worst: Math.max(episode.worst, now.rank),
    fixable_at: episode.fixable_at ?? (now.isFixable ? when : null),
    exploited_at: episode.exploited_at ?? (now.isExploited ? at : null),
    exploited_until:
      now.isExploited || episode.exploited_at === null ? null : (episode.exploited_until ?? at),
    ...NEVER_MISSED,
  };
  return COLUMNS.every((name) => next[name] === episode[name]) ? episode : next;
}

/** It is not reported any more: it ended where that scan proves it, and else waits for one that does, as its issue would. */
function missed(episode: Episode, cause: HistoryCause, when: number): Episode {
  if (cause === 'catalogue') return episode;
  // A report may say that it was made before the one that found it, and an end is never before the beginning.
  const ended_at = Math.max(episode.first_seen_at, when);
  // An end without a scan is not a fix: what had it does not run here any more.
  if (cause === 'platforms' || cause.gone?.has(episode.cve) === true)
    return episode.unreported_at === null ? { ...episode, ended_at } : episode;
  const { id, stamp, version, replaced } = cause;
  const { found_scanner: scanner, found_db_at: dbUpdatedAt, found_scan_at: recordedAt } = episode;
  // The row says what found it from when it is not reported any more.
  const found: FoundStamp =
    episode.unreported_at === null && replaced !== null ? replaced : { scanner, dbUpdatedAt, recordedAt };
  if (missingProof(found, stamp) === null)
    return {
      ...episode,
      ended_at,
      ended_scan: id,
      ended_by: JSON.stringify({ scanner: stamp.scanner, version, db_updated_at: stamp.dbUpdatedAt }),
      ...NEVER_MISSED,
    };
  if (episode.unreported_at !== null) return episode;
  return {
    ...episode,
    unreported_at: when,
    found_scanner: found.scanner,
    found_db_at: found.dbUpdatedAt,
    found_scan_at: found.recordedAt,
  };
}
