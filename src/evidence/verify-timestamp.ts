import { formatTime, isIpoError } from '../base/index.ts';
import { readSafely, type PackageCheck, type Say } from './checks.ts';
import type { Package } from './package/open.ts';
import { readTimestamp, TIMESTAMP_FILE } from './package/timestamp.ts';

/** judgeTimestamp says when an authority saw the signature; packages without a time stamp have nothing to judge. */
export async function judgeTimestamp(
  pkg: Package,
  { authorities = [] }: { readonly authorities?: readonly string[] },
  held: Say,
  failed: Say,
  checks: PackageCheck[],
): Promise<void> {
  if (!pkg.entries.has(TIMESTAMP_FILE)) {
    if (authorities.length > 0) failed('timestamp', 'the package has no time stamp');
    return;
  }
  const answer = await readSafely(pkg, TIMESTAMP_FILE);
  const text = (await readSafely(pkg, 'evidence.json.sig'))?.toString('utf8') ?? '';
  try {
    const { at, verified } = readTimestamp(
      answer ?? Buffer.alloc(0),
      Buffer.from(text, 'base64'),
      authorities,
    );
    const when = `the signature was there at ${formatTime(at)}`;
    if (verified) held('timestamp', `${when}, says an authority that was given`);
    else
      checks.push({
        check: 'timestamp',
        state: 'not_checked',
        text: `${when}, says an authority whose certificate was not given`,
      });
  } catch (error) {
    if (!isIpoError(error)) throw error;
    failed('timestamp', error.message);
  }
}
