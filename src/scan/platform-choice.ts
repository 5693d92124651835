import { neededEntries, type PlatformEntry } from '../image/index.ts';
import type { ScanClaim } from './ports.ts';

/**
 * PlatformChoice chooses which image of an index an attempt scans: one that nodes run and that was not scanned since it was asked for.
 * Another one with each attempt, so that a platform that cannot be scanned holds none of the others up.
 */
export class PlatformChoice {
  readonly #claim: Pick<ScanClaim, 'attempts' | 'done'>;
  readonly #nodes: readonly string[];
  #left = 0;
  #chosen: string | null = null;

  constructor(claim: Pick<ScanClaim, 'attempts' | 'done'>, nodes: readonly string[]) {
    this.#claim = claim;
    this.#nodes = nodes;
  }

  /** How many are left behind the one that was chosen last. */
  get left(): number {
    return this.#left;
  }

  /** The platform that was chosen last; null before, and where nothing was to be chosen. */
  get chosen(): string | null {
    return this.#chosen;
  }

  /** Null where the index has none that a node runs. */
  readonly choose = (entries: readonly PlatformEntry[]): PlatformEntry | null => {
    const { attempts, done } = this.#claim;
    const needed = neededEntries(entries, this.#nodes);
    const open = needed.filter(({ platform }) => !done.includes(platform));
    const among = open.length === 0 ? needed : open;
    const chosen = among[(attempts - 1) % Math.max(among.length, 1)] ?? null;
    this.#chosen = chosen?.platform ?? null;
    this.#left = open.filter((entry) => entry !== chosen).length;
    return chosen;
  };
}
