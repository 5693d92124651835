import type { TrivyReport } from '../../src/app/index.ts';
import { printable } from '../../src/base/index.ts';
import { factsOn, type ImageFacts } from '../../src/facts/index.ts';
import type { ScanRecord } from '../../src/findings/index.ts';
import { entryFor, formatPlatform, isUnnamed, parsePlatform } from '../../src/image/index.ts';
import { UsageError } from '../ui/usage.ts';

/** readPlatform reads `--platform` in the one form of platforms (`linux/arm64`); null where it is not given. Throws UsageError. */
export function readPlatform(text: string | undefined): string | null {
  if (text === undefined) return null;
  const platform = parsePlatform(text);
  if (platform === null || platform.os === 'unknown' || platform.architecture === 'unknown')
    throw new UsageError(
      `--platform ${printable(text) || '""'}: this is not a platform`,
      'Write it as OS/ARCH or OS/ARCH/VARIANT, such as linux/arm64 or linux/arm/v7',
    );
  return formatPlatform(platform);
}

/** PlatformFacts is what an image is judged by when a platform was asked for. */
export interface PlatformFacts {
  readonly facts: ImageFacts;
  /** Of which platform the scan is; null: the worst of all, or of none that is known. */
  readonly platform: string | null;
  /** Why nothing is known of the platform that was asked for, as a sentence; else null. */
  readonly offPlatform: string | null;
}

/** judgedOn gives the facts of an image for a platform: of the report that speaks for it, else of what is recorded. */
export function judgedOn(
  facts: ImageFacts,
  report: TrivyReport | null,
  wanted: string | null,
): PlatformFacts {
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

/** speaksFor tells whether a report goes before what is recorded: one of another platform does not, where that one's scan is recorded. */
export function speaksFor(report: TrivyReport, recorded: ScanRecord | null, wanted: string | null): boolean {
  if (wanted === null || !report.platform || entryFor(ofReport(report), wanted) !== null) return true;
  return entryFor(recorded?.platforms ?? [], wanted)?.scanned !== true;
}

function ofReport({ platform }: TrivyReport): readonly { platform: string; scanned: boolean }[] {
  return platform ? [{ platform, scanned: true }] : [];
}
