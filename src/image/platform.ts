import type { Descriptor, Platform } from './registry-ports.ts';

/** Names that build tools gave to architectures before OCI took those of Go. */
const ARCHITECTURES: Readonly<Record<string, readonly [architecture: string, variant: string | null]>> = {
  x86_64: ['amd64', null],
  'x86-64': ['amd64', null],
  aarch64: ['arm64', null],
  armhf: ['arm', 'v7'],
  armel: ['arm', 'v6'],
  i386: ['386', null],
};

/** Variants that an architecture has where none is written, and what they can run: as many as they can, the best first. */
const RUNS: ReadonlyMap<string, readonly string[]> = new Map([
  ['arm', ['v8', 'v7', 'v6', 'v5']],
  ['arm64', ['v9', 'v8']],
  ['amd64', ['v4', 'v3', 'v2', 'v1']],
]);
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['arm', 'v7'],
  ['arm64', 'v8'],
  ['amd64', 'v1'],
]);

/** normalisePlatform gives a platform by one name: `x86_64` is `amd64`, `arm64/v8` is `arm64`, `amd64/v1` is `amd64`. */
export function normalisePlatform(platform: Platform): Platform {
  const os = platform.os.toLowerCase() === 'macos' ? 'darwin' : platform.os.toLowerCase();
  const written = platform.architecture.toLowerCase();
  const [architecture, implied] = Object.hasOwn(ARCHITECTURES, written)
    ? (ARCHITECTURES[written] ?? [written, null])
    : ([written, null] as const);
  const said = platform.variant?.toLowerCase() ?? '';
  const given = /^\d$/.test(said) ? `v${said}` : said;
  const variant = said === '' ? implied : given;
  const isPlain = architecture !== 'arm' && variant !== null && PLAIN.get(architecture) === variant;
  return { os, architecture, variant: isPlain ? null : variant, osVersion: platform.osVersion };
}

/**
 * parsePlatform reads `os/architecture[/variant]`, as the tools of the field write it: `linux/arm64`, `linux/arm/v7`. Null for
 * anything else.
 */
export function parsePlatform(text: string): Platform | null {
  const parts = /^([a-z0-9_.-]{1,32})\/([a-z0-9_.-]{1,32})(?:\/([a-z0-9_.-]{1,32}))?$/i.exec(text);
  if (parts === null) return null;
  const [, os = '', architecture = '', variant] = parts;
  return normalisePlatform({ os, architecture, variant: variant ?? null, osVersion: null });
}

/** formatPlatform writes a platform as parsePlatform reads it. */
export function formatPlatform({ os, architecture, variant }: Platform): string {
  return variant === null ? `${os}/${architecture}` : `${os}/${architecture}/${variant}`;
}

/**
 * selectPlatform picks the image that a node of a platform would run out of an index, as containerd does: the same operating system and
 * architecture, of several variants the best that the platform can run, of equal ones the first. What is marked as no image
 * (`unknown/unknown`, as BuildKit marks its attestations) or says no platform is never picked; an annotation keeps no node from an image.
 * Null when nothing fits.
 */
export function selectPlatform<Entry extends Pick<Descriptor, 'platform'>>(
  manifests: readonly Entry[],
  wanted: Platform,
): Entry | null {
  const platform = normalisePlatform(wanted);
  let best: Entry | null = null;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const descriptor of manifests) {
    const rank =
      descriptor.platform === null ? null : rankOf(normalisePlatform(descriptor.platform), platform);
    if (rank === null || rank >= bestRank) continue;
    best = descriptor;
    bestRank = rank;
  }
  return best;
}

/** How far an image is from the best that the platform could run; null when it cannot run it. */
function rankOf(image: Platform, wanted: Platform): number | null {
  if (image.os !== wanted.os || image.os === 'unknown') return null;
  if (wanted.osVersion !== null && !sameBuild(image.osVersion, wanted.osVersion)) return null;
  const { architecture } = image;
  if (architecture !== wanted.architecture) {
    // A 64-bit Arm node runs 32-bit images where there is nothing better; containerd tries them last.
    return wanted.architecture === 'arm64' && architecture === 'arm'
      ? 100 + variantRank('arm', 'v8', image)
      : null;
  }
  const most = wanted.variant ?? PLAIN.get(architecture) ?? null;
  if (most === null) return image.variant === null ? 0 : null;
  const rank = variantRank(architecture, most, image);
  return Number.isFinite(rank) ? rank : null;
}

function variantRank(architecture: string, most: string, image: Platform): number {
  const order = RUNS.get(architecture) ?? [];
  const own = image.variant ?? PLAIN.get(architecture) ?? '';
  if (own === most) return 0;
  const [from, at] = [order.indexOf(most), order.indexOf(own)];
  return from !== -1 && at > from ? at - from : Number.POSITIVE_INFINITY;
}

/** Windows runs images only of its own build: the first three numbers of the version. */
function sameBuild(image: string | null, wanted: string): boolean {
  const build = (version: string): string => version.split('.', 3).join('.');
  return image === null || build(image) === build(wanted);
}
