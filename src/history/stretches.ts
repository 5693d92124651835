import { byCodeUnit } from '../base/index.ts';
import type { FindingEpisode, ImageHistory, ImageRun } from './ports.ts';

/**
 * StretchEnd is how a finding ceased to stand. `platform_retired`: no node has the platform any more whose image had it, which is not a
 * fix.
 */
export type StretchEnd = 'fixed' | 'platform_retired' | 'triaged' | 'image_retired';

/**
 * Stretch is a time without a break during which a finding stood: reported, not triaged, and its image not retired. One that comes back
 * stands in another stretch.
 */
export interface Stretch {
  readonly cve: string;
  readonly episode: FindingEpisode;
  readonly from: number;
  /** Null while it stands. */
  readonly to: number | null;
  readonly ended: StretchEnd | null;
  /** Of one that ended with its image: what took its place, and whether that has the CVE; null where that is not known. */
  readonly supersededBy: string | null;
  readonly successorHasCve: boolean | null;
  /** Whether a pod was seen running the image meanwhile. */
  readonly ran: boolean;
}

/** Span is from one time to another, which is not part of it. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * stretchesOf works out when each finding of an image stood, and how each time ended. Where several ends fall together, the first of
 * `fixed`, `triaged` and `image_retired` counts, as for issues. An image that was never seen to run is not retired.
 */
export function stretchesOf(history: ImageHistory): Stretch[] {
  const gone = goneSpans(history.runs);
  const triage = Map.groupBy(history.triage, ({ cve }) => cve);
  return history.findings
    .flatMap((episode) => stretchesIn(episode, triage.get(episode.cve) ?? [], gone, history))
    .toSorted((a, b) => byCodeUnit(a.cve, b.cve) || a.from - b.from);
}

function stretchesIn(
  episode: FindingEpisode,
  triage: ImageHistory['triage'],
  gone: readonly Span[],
  history: ImageHistory,
): Stretch[] {
  const { firstSeenAt: begin, endedAt, cve } = episode;
  const end = endedAt ?? Infinity;
  const covered = triage.flatMap((span) =>
    span.from < span.until ? [{ from: span.from, to: span.until }] : [],
  );
  const stretches: Stretch[] = [];
  let from = begin;
  for (const cut of merge([...covered, ...gone])) {
    if (cut.to <= from) continue;
    if (cut.from >= end) break;
    if (cut.from > from) {
      const triaged = covered.some((span) => span.from <= cut.from && cut.from < span.to);
      stretches.push(made(from, cut.from, triaged ? 'triaged' : 'image_retired'));
    }
    from = cut.to;
  }
  if (from < end) {
    const how = episode.endedBy === null ? 'platform_retired' : 'fixed';
    stretches.push(made(from, endedAt, endedAt === null ? null : how));
  }
  return stretches;

  function made(since: number, to: number | null, ended: StretchEnd | null): Stretch {
    const ran = history.runs.some(
      (run) => run.firstSeenAt < (to ?? Infinity) && (run.endedAt === null || run.lastSeenAt >= since),
    );
    const next = ended === 'image_retired' ? successorAt(history.runs, to ?? 0) : null;
    const has = next === null ? undefined : history.successors.get(next);
    return {
      cve,
      episode,
      from: since,
      to,
      ended,
      supersededBy: next,
      successorHasCve: has?.has(cve) ?? null,
      ran,
    };
  }
}

/** An image is gone from when it was seen last in the last of its clusters until it is seen again. */
function goneSpans(runs: readonly ImageRun[]): Span[] {
  const ran = merge(
    runs.map(({ firstSeenAt, lastSeenAt, endedAt }) => ({
      from: firstSeenAt,
      to: endedAt === null ? Infinity : lastSeenAt,
    })),
  );
  return ran.flatMap(({ to }, i) =>
    to === Infinity ? [] : [{ from: to, to: ran[i + 1]?.from ?? Infinity }],
  );
}

/** Of several that ended there, one that is known to have been followed counts. */
function successorAt(runs: readonly ImageRun[], at: number): string | null {
  const ends = runs.filter(({ endedAt, lastSeenAt }) => endedAt !== null && lastSeenAt === at);
  return ends.map(({ supersededBy }) => supersededBy).find((next) => next !== null) ?? null;
}

/** Spans in their order, those that touch as one. */
function merge(spans: readonly Span[]): Span[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}
