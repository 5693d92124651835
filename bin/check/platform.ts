import { printable } from '../../src/base/index.ts';
import { formatPlatform, parsePlatform } from '../../src/image/index.ts';
import { UsageError } from '../terminal/usage.ts';

/** readPlatform reads `--platform` in the one form of platforms (`linux/arm64`); null where it is not given. Throws UsageError. */
export function readPlatform(text: string | undefined): string | null {
  if (text === undefined) return null;
  const platform = parsePlatform(text);
  if (platform === null || platform.os === 'unknown' || platform.architecture === 'unknown')
    throw new UsageError(
      `--platform ${printable(text) || '""'}: not a valid platform`,
      'Write it as OS/ARCH or OS/ARCH/VARIANT, such as linux/arm64 or linux/arm/v7',
    );
  return formatPlatform(platform);
}
