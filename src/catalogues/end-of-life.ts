import { checkSize } from './edition.ts';

/** OsRelease is a release of an operating system with the ends of its support. */
export interface OsRelease {
  /** One of RELEASE_PRODUCTS. */
  readonly product: string;
  /** As its maker numbers it: `12`, `22.04`, `3.19`. */
  readonly release: string;
  /** Milliseconds from which support has ended; null where no end is announced. */
  readonly endsAt: number | null;
  /** The same of the support that follows for longer, far away where its end is not announced; null where there is none. */
  readonly extendedEndsAt: number | null;
}

/** ReleaseData is when operating systems end, as somebody publishes it. */
export interface ReleaseData {
  /** Each release once. */
  readonly releases: readonly OsRelease[];
  /** Milliseconds at which it was made; null or left out where it does not say. */
  readonly releasedAt?: number | null;
}

/** Scanners' names of families, and under which names release data is published; the first that knows the release counts. */
const PRODUCTS: Readonly<Record<string, readonly string[]>> = {
  alma: ['almalinux'],
  almalinux: ['almalinux'],
  alpine: ['alpine-linux'],
  amazon: ['amazon-linux'],
  amazonlinux: ['amazon-linux'],
  centos: ['centos', 'centos-stream'],
  debian: ['debian'],
  fedora: ['fedora'],
  'opensuse-leap': ['opensuse'],
  'opensuse.leap': ['opensuse'],
  oracle: ['oracle-linux'],
  oraclelinux: ['oracle-linux'],
  photon: ['vmware-photon', 'photon'],
  redhat: ['rhel'],
  rhel: ['rhel'],
  rocky: ['rocky-linux'],
  rockylinux: ['rocky-linux'],
  sles: ['sles'],
  'suse linux enterprise server': ['sles'],
  ubuntu: ['ubuntu'],
};

/** RELEASE_PRODUCTS are the names under which release data is read; others are of no matter here. */
export const RELEASE_PRODUCTS: ReadonlySet<string> = new Set(Object.values(PRODUCTS).flat());

/** Support that is longer and open to everybody counts: Debian's own for the long term. That of others needs a contract. */
const OPEN_TO_ALL: ReadonlySet<string> = new Set(['debian']);

/** releaseNames gives where a scanner's operating system may stand in release data, what fits best first. */
export function releaseNames(os: {
  readonly family: string;
  readonly name: string;
}): readonly { readonly product: string; readonly release: string }[] {
  const products = PRODUCTS[os.family.toLowerCase()] ?? [];
  const [version] = /\d[0-9.]{0,40}/.exec(os.name.slice(0, 200)) ?? [];
  if (version === undefined) return []; // such as `bookworm/sid`, which moves
  const parts = version.split('.').filter((part) => part !== '');
  return products.flatMap((product) =>
    parts.map((_, i) => ({ product, release: parts.slice(0, parts.length - i).join('.') })),
  );
}

/**
 * hasEnded tells whether release data says that the support of an operating system is over at a time in milliseconds; null where it does
 * not know the release. `releases` may hold more than the one in question.
 */
export function hasEnded(
  os: { readonly family: string; readonly name: string },
  releases: readonly OsRelease[],
  at: number,
): boolean | null {
  for (const { product, release } of releaseNames(os)) {
    const found = releases.find((one) => one.product === product && one.release === release);
    if (found === undefined) continue;
    // Trivy says that an image has the repositories of the contract by this ending.
    const isExtended = OPEN_TO_ALL.has(product) || /-ESM$/i.test(os.name);
    const { endsAt, extendedEndsAt } = found;
    if (endsAt === null) return false;
    return (isExtended && extendedEndsAt !== null ? Math.max(endsAt, extendedEndsAt) : endsAt) <= at;
  }
  return null;
}

/** checkReleaseData holds that release data may replace that of `kept` releases (0 for none). Throws CatalogueError `invalid_report`. */
export function checkReleaseData(
  { releases }: Pick<ReleaseData, 'releases'>,
  kept: number,
  acceptShrunk = false,
): void {
  const size = {
    noun: 'the release data of operating systems',
    short: 'the release data',
    unit: 'releases',
    setting: 'endOfLife.source',
    entries: releases.length,
  };
  checkSize(size, kept, acceptShrunk);
}
