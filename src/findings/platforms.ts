import { entryFor } from '../image/index.ts';
import type { ScanRecord } from './scan-record.ts';

const NONE: readonly string[] = [];

/** missingPlatforms gives the platforms that nodes have and for which the digest has an image without a scan. */
export function missingPlatforms(scan: ScanRecord): readonly string[] {
  const { platforms } = scan;
  if (platforms === null || platforms === undefined) return NONE;
  return platforms.filter(({ scanned }) => !scanned).map(({ platform }) => platform);
}

/** isUnscanned tells an image without a completed scan of every platform that it is needed for: it is not known to be clean. */
export function isUnscanned(scan: ScanRecord | null): boolean {
  return scan === null || missingPlatforms(scan).length > 0;
}

/**
 * scanOn gives what a scan says for a node of a platform; the whole scan, which is the worst of all platforms, where the platform is not
 * known, or its own image was not scanned: a user who chooses the node must not get a laxer answer.
 */
export function scanOn(scan: ScanRecord, node: string | null): ScanRecord {
  const { platforms, findings } = scan;
  if (node === null || platforms === null || platforms === undefined || platforms.length < 2) return scan;
  const own = entryFor(platforms, node);
  if (own === null || !own.scanned) return scan;
  const { platform, scannedAt, os } = own;
  return {
    scannedAt,
    scanner: scan.scanner,
    os,
    platforms: [own],
    findings:
      findings?.filter(
        (finding) =>
          finding.platforms === null ||
          finding.platforms === undefined ||
          finding.platforms.includes(platform) ||
          finding.platforms.includes(''),
      ) ?? null,
  };
}
