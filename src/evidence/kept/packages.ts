import { DAY_MS, IpoError, randomLetters, type Clock } from '../../base/index.ts';
import { toRequest, type EvidenceWish } from '../request.ts';
import type { KeptPackage, NewPackage, PackageStore } from './ports.ts';

/** PACKAGE_ID is the form of the id of a package of a service. */
export const PACKAGE_ID = /^[a-z2-7]{16}$/;

/** MAX_OPEN packages may wait or be made at one time. */
const MAX_OPEN = 20;

/** PackagesDeps are what the packages of a service act through. */
export interface PackagesDeps {
  readonly store: PackageStore;
  readonly clock: Clock;
  /** Frameworks where a request names none; empty for all. */
  readonly frameworks: readonly string[];
  /** Days for which packages are kept; 0 keeps all. */
  readonly days: number;
}

/** Packages are the evidence packages of a service. */
export interface Packages {
  /** Asks for one. Throws `invalid_request`, and `rate_limited` where too many wait. */
  ask(wish: EvidenceWish, accountId: string): Promise<KeptPackage>;
  list: PackageStore['list'];
  /** Throws `not_found`. */
  get(id: string): Promise<KeptPackage>;
  /** One that can be downloaded. Throws `not_found`, and `conflict` for one that is not done. */
  done(id: string): Promise<KeptPackage & { readonly bytes: number; readonly sha256: string }>;
  pieces: PackageStore['pieces'];
  /** Throws `not_found`, and `conflict` for one that has ended. */
  cancel(id: string): Promise<void>;
  /** Throws `not_found`. */
  remove(id: string): Promise<KeptPackage>;
  /** When one is deleted; null for never. */
  keptUntil(kept: KeptPackage): number | null;
}

/** openPackages joins the packages of a service to where they are kept. */
export function openPackages({ store, clock, frameworks, days }: PackagesDeps): Packages {
  const get = async (id: string): Promise<KeptPackage> => {
    const found = await store.get(id);
    if (found !== null) return found;
    throw new IpoError('not_found', `no evidence package has the ID ${id}`, {
      hint: 'GET /api/v1/evidence lists them',
    });
  };
  return {
    async ask(wish, accountId) {
      const now = clock.now();
      const request = toRequest(wish, now, frameworks);
      const id = randomLetters(16);
      const wanted = { id, accountId, createdAt: now, request };
      if (!(await store.add(wanted, MAX_OPEN)))
        throw new IpoError('rate_limited', `${MAX_OPEN} evidence packages are waiting already`, {
          hint: 'Ask again once one of them is done',
          retryAfter: 60,
        });
      return newly(wanted);
    },
    list: (page) => store.list(page),
    get,
    async done(id) {
      const found = await get(id);
      const { state, bytes, sha256 } = found;
      if (state === 'done' && bytes !== null && sha256 !== null) return { ...found, bytes, sha256 };
      throw new IpoError('conflict', `the evidence package ${id} is ${state}, so it cannot be downloaded`, {
        hint: state === 'failed' ? 'Create another one' : 'Wait until its state is done',
      });
    },
    pieces: (id) => store.pieces(id),
    async cancel(id) {
      const { state } = await get(id);
      if (await store.cancel(id, 'cancelled', clock.now())) return;
      throw new IpoError('conflict', `the evidence package ${id} is ${state}, so it cannot be cancelled`, {
        hint: 'Delete it instead',
      });
    },
    async remove(id) {
      const found = await get(id);
      await store.remove(id);
      return found;
    },
    keptUntil: ({ endedAt }) => (days === 0 || endedAt === null ? null : endedAt + days * DAY_MS),
  };
}

/** How it stands before anything was done for it. */
function newly(wanted: NewPackage): KeptPackage {
  return {
    ...wanted,
    state: 'queued',
    progress: { stage: null, rows: 0, total: null },
    startedAt: null,
    endedAt: null,
    error: null,
    bytes: null,
    sha256: null,
    summary: null,
  };
}

/** prunePackages deletes packages that ended longer ago than they are kept. A job calls it with the present. */
export function prunePackages(store: PackageStore, days: number, at: number): Promise<number> {
  return store.prune(days === 0 ? -Infinity : at - days * DAY_MS);
}
