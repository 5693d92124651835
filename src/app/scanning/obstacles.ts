import type { ScanObstacle, ScanObstacles } from '../../admission/index.ts';
import { explainScanFailure, SCAN_FAILURES, type ScanFailure } from '../../findings/index.ts';

type Said = Pick<ScanFailure, 'platform' | 'reason' | 'message'>;

/** obstacleOf says in two sentences why an image cannot be scanned, and what to do; of failures that are not none. */
export function obstacleOf(failures: readonly Said[]): ScanObstacle {
  const hints = new Set(failures.map(({ reason }) => SCAN_FAILURES[reason].hint));
  return { why: failures.map(explainScanFailure).join('; '), hint: [...hints].join('; ') };
}

/** scanObstacles tells the webhook why images cannot be scanned: of the platform that a pod is judged by, where that is known. */
export function scanObstacles(failures: { of(digest: string): readonly Said[] }): ScanObstacles {
  return {
    of(digest, platform) {
      const own = failures
        .of(digest)
        .filter((one) => platform === null || one.platform === null || one.platform === platform);
      return own.length === 0 ? null : obstacleOf(own);
    },
  };
}
