import { RELEASES } from './catalogue.ts';
import type { Release } from './release.ts';

/** ReleaseBody is a release as the API and the command line write it. */
export interface ReleaseBody {
  readonly version: string;
  readonly date: string;
  readonly substance: string;
  readonly migrations: { readonly first: number; readonly last: number } | null;
  readonly needs_chart_upgrade: boolean;
  readonly chart_reason: string | null;
  readonly new_values: readonly string[];
  readonly unread_values: readonly { readonly name: string; readonly note: string }[];
  readonly repeated_values: readonly { readonly name: string; readonly note: string }[];
  readonly cleared_values: readonly { readonly name: string; readonly note: string }[];
  readonly refused: readonly { readonly name: string; readonly note: string }[];
  readonly defect: string | null;
}

/** releaseBody writes one. */
export function releaseBody(release: Release): ReleaseBody {
  const { version, date, substance, migrations, chart, defect, refused } = release;
  return {
    version,
    date,
    substance,
    migrations: migrations === null ? null : { first: migrations[0], last: migrations[1] },
    needs_chart_upgrade: chart !== null,
    chart_reason: chart,
    new_values: release.newValues,
    unread_values: release.unreadValues,
    repeated_values: release.repeatedValues,
    cleared_values: release.clearedValues,
    refused,
    defect,
  };
}

/** releasesBody writes the whole catalogue, the newest first. */
export function releasesBody(releases: readonly Release[] = RELEASES): {
  readonly items: readonly ReleaseBody[];
  readonly total: number;
} {
  return { items: releases.map(releaseBody), total: releases.length };
}
