import { byCodeUnit } from '../base/index.ts';
import type { TrackerChannel } from '../channels/index.ts';

/**
 * Candidate is "a CRITICAL finding of the newest completed scan of a digest, with no row that blocks it and no unexpired triage".
 */
export interface Candidate {
  readonly digest: string;
  readonly cve: string;
  /** The scan that reports it. */
  readonly scanId: number;
  readonly knownExploited: boolean;
}

/** AlertCandidate is a rule of the runtime detector that alerted on an image, with no open row and none that was closed since. */
export interface AlertCandidate {
  readonly digest: string;
  readonly rule: string;
}

/** inOrder sorts candidates as they are filed: those known to be exploited first, then those that were found first. */
export function inOrder(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.toSorted(
    (a, b) =>
      Number(b.knownExploited) - Number(a.knownExploited) || a.scanId - b.scanId || byCodeUnit(a.cve, b.cve),
  );
}

/** SUMMARY_ABOVE: "a channel's first run with more than 5 candidates files one summary issue listing all of them". */
const SUMMARY_ABOVE = 5;

/** filesSummary tells whether a channel files one issue for this many candidates. */
export function filesSummary({ firstRunAt, settings }: TrackerChannel, candidates: number): boolean {
  return firstRunAt === null && settings.firstRunSummary && candidates > SUMMARY_ABOVE;
}

/** Share is what a channel claims in one run. */
export interface Share {
  readonly channel: TrackerChannel;
  readonly candidates: readonly Candidate[];
  readonly summary: boolean;
  /** Candidates were left over, since the channel is at its cap. */
  readonly capped: boolean;
}

/**
 * shareOut says who claims what: "of several tracker channels, in order of creation, the first enabled one under its cap claims it".
 * `channels` are those that file, in that order; `room` is how many issues each may still open. What nobody has room for stays a
 * candidate (`left`).
 */
export function shareOut(
  candidates: readonly Candidate[],
  channels: readonly TrackerChannel[],
  room: ReadonlyMap<string, number>,
): { readonly shares: readonly Share[]; readonly left: readonly Candidate[] } {
  const shares: Share[] = [];
  let left = candidates;
  for (const channel of channels) {
    if (left.length === 0) break;
    const free = Math.max(0, room.get(channel.id) ?? 0);
    const summary = free > 0 && filesSummary(channel, left.length);
    const taken = summary ? left : left.slice(0, free);
    left = left.slice(taken.length);
    shares.push({ channel, candidates: taken, summary, capped: left.length > 0 });
  }
  return { shares, left };
}
