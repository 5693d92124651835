import { releasesBetween, RELEASES } from './catalogue.ts';
import type { Release, ReleaseNote } from './release.ts';

/** PlannedNote is a note with the release that brought it. */
export interface PlannedNote extends ReleaseNote {
  readonly release: string;
}

/** UpgradePlan is what the way from one release to another asks for. Lists are in the order of the releases, the oldest first. */
export interface UpgradePlan {
  readonly from: string;
  readonly to: string;
  /** `up`; `none` where both are the same; `back`, which no migration goes: it is a restore from a backup. */
  readonly direction: 'up' | 'none' | 'back';
  /** The releases that the way goes over, the target being the last. */
  readonly releases: readonly string[];
  /** Numbers of the migrations that run. */
  readonly migrations: readonly number[];
  readonly chart: {
    readonly upgrade: boolean;
    readonly because: readonly { readonly release: string; readonly reason: string }[];
  };
  readonly values: {
    readonly unread: readonly PlannedNote[];
    readonly repeated: readonly PlannedNote[];
    readonly cleared: readonly PlannedNote[];
    readonly added: readonly { readonly release: string; readonly name: string }[];
  };
  readonly refused: readonly PlannedNote[];
  /** Why nobody should stay on the target; null for a sound one. */
  readonly defect: string | null;
}

/** planUpgrade reads from the catalogue what lies between two releases. Of a way back everything but the direction is empty. */
export function planUpgrade(from: Release, to: Release): UpgradePlan {
  const [place, target] = [RELEASES.indexOf(from), RELEASES.indexOf(to)];
  const way = place > target ? 'up' : 'back';
  const direction = place === target ? 'none' : way;
  const over = direction === 'up' ? releasesBetween(from, to) : [];
  const notes = (of: (release: Release) => readonly ReleaseNote[]): readonly PlannedNote[] =>
    over.flatMap((one) => of(one).map((note) => ({ release: one.version, ...note })));
  const because = over.flatMap(({ version, chart }) =>
    chart === null ? [] : [{ release: version, reason: chart }],
  );
  return {
    from: from.version,
    to: to.version,
    direction,
    releases: over.map(({ version }) => version),
    migrations: over.flatMap(({ migrations }) => (migrations === null ? [] : range(...migrations))),
    chart: { upgrade: because.length > 0, because },
    values: {
      unread: notes(({ unreadValues }) => unreadValues),
      repeated: notes(({ repeatedValues }) => repeatedValues),
      cleared: notes(({ clearedValues }) => clearedValues),
      added: over.flatMap(({ version, newValues }) => newValues.map((name) => ({ release: version, name }))),
    },
    refused: notes(({ refused }) => refused),
    defect: to.defect,
  };
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
