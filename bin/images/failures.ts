import type { ImageItemBody } from '../../src/api/contract/images.ts';
import { counted } from '../../src/render/index.ts';
import { shortTime } from '../../src/whatif/report/index.ts';

type ScanFailureBody = ImageItemBody['scan_failures'][number];

/** whyText says why an image of a list has no whole scan. */
export function whyText({ scan, scan_failures }: ImageItemBody): string {
  const [first, ...more] = scan_failures;
  if (first === undefined) return scan === null ? 'not tried yet' : `${scannedText(scan)} scanned`;
  const where = first.platform === null ? '' : `${first.platform}: `;
  return `${where}${first.reason}: ${first.message}${more.length === 0 ? '' : `; and ${counted(more.length, 'platform')} more`}`;
}

/** againText says when a scan that failed is tried again. */
export function againText({ state, again_at }: ScanFailureBody): string {
  if (state === 'scanning') return 'now';
  return again_at === null ? 'given up' : shortTime(again_at);
}

/** failureLines tell why an image could not be scanned, how often and since when, when it is tried again, and what to do. */
export function failureLines(failures: readonly ScanFailureBody[]): readonly (readonly [string, string])[] {
  return failures.flatMap((failure) => {
    const { platform, reason, message, attempts, since, hint } = failure;
    const where = platform === null ? '' : `${platform}: `;
    const again = againText(failure);
    let then = `tried again from ${again} UTC`;
    if (again === 'given up') then = 'given up; retry with ipo images scan';
    if (again === 'now') then = 'being tried now';
    return [
      ['scan fails', `${where}${reason}: ${message}`] as const,
      ['attempts', `${attempts} since ${shortTime(since)} UTC; ${then}`] as const,
      ['hint', hint] as const,
    ];
  });
}

/** scannedText says when an image was scanned, or how many of its platforms are. */
export function scannedText({ scanned_at, platforms }: NonNullable<ImageItemBody['scan']>): string {
  const all = platforms ?? [];
  const there = all.filter(({ state }) => state === 'scanned').length;
  if (there < all.length) return `${there} of ${all.length} platforms`;
  return scanned_at === null ? '–' : shortTime(scanned_at);
}
