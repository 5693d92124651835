import { factsOn, type ImageFacts } from '../facts/index.ts';
import type { ScanRecord } from '../findings/index.ts';
import { entryFor, isUnnamed } from '../image/index.ts';
import type { ScanReport } from '../scan/index.ts';

/** PlatformFacts is what an image is judged by when a platform was asked for. */
export interface PlatformFacts {
  readonly facts: ImageFacts;
  /** Of which platform the scan is; null: the worst of all, or of none that is known. */
  readonly platform: string | null;
  /** Why nothing is known of the platform that was asked for, as a sentence; else null. */
  readonly offPlatform: string | null;
}

/** judgedOn gives the facts of an image for a platform: of the report that speaks for it, else of what is recorded. */
export function judgedOn(facts: ImageFacts, report: ScanReport | null, wanted: string | null): PlatformFacts {
  const told = report === null ? (facts.scan?.platforms ?? []) : ofReport(report);
  if (wanted === null || told.length === 0) return { facts, platform: null, offPlatform: null };
  const own = entryFor(told, wanted);
  if (own?.scanned === true)
    return { facts: factsOn(facts, wanted), platform: own.platform, offPlatform: null };
  const scanned = told.filter((entry) => entry.scanned && !isUnnamed(entry));
  const others = scanned.map(({ platform }) => platform).join(', ');
  const why =
    own === null || isUnnamed(own)
      ? `no image for ${wanted} is known behind this reference`
      : `its image for ${wanted} is not scanned`;
  const by = scanned.length === 0 ? '' : `: judged by ${scanned.length > 1 ? 'the worst of ' : ''}${others}`;
  return { facts, platform: null, offPlatform: `${why}${by}` };
}

/**
 * speaksFor tells whether a report takes precedence over what is recorded: one of another platform does not, where that one's scan is
 * recorded.
 */
export function speaksFor(report: ScanReport, recorded: ScanRecord | null, wanted: string | null): boolean {
  if (wanted === null || !report.platform || entryFor(ofReport(report), wanted) !== null) return true;
  return entryFor(recorded?.platforms ?? [], wanted)?.scanned !== true;
}

function ofReport({ platform }: ScanReport): readonly { platform: string; scanned: boolean }[] {
  return platform ? [{ platform, scanned: true }] : [];
}
