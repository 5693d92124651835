import { parseDuration, type Clock } from '../base/index.ts';
import type { Policy } from '../policy/index.ts';
import { governingAt } from './compliance.ts';
import { checkDigest, unknownImage } from './images.service.ts';
import { InventoryError } from './inventory-error.ts';
import type { PoliciesInForce } from './policies-in-force.ts';
import type { Listed, TriageEntry, TriageQuery, TriageStore } from './ports.ts';

/** NewTriage is what a person decides. */
export interface NewTriage {
  readonly digest: string;
  /** Null: the image holds no packages to scan, so that no scan of it is waited for. */
  readonly cve: string | null;
  readonly reason: string;
  /** Milliseconds; null takes `sla.triage` of the policies that govern the image, else 2160 hours from now. */
  readonly until: number | null;
}

/** Person is who decides: the account, and its name as it is copied onto the decision. */
export interface Person {
  readonly accountId: string;
  readonly name: string;
}

/** Triage keeps the decisions that a CVE does not count on an image, or that an image holds nothing to scan. */
export interface Triage {
  /** Throws `not_found` for an image that is not known, and `invalid_request`. */
  create(decision: NewTriage, by: Person): Promise<TriageEntry>;
  list(query: Omit<TriageQuery, 'at'>): Promise<Listed<TriageEntry>>;
  /** Takes a decision back. Throws `not_found`, and `conflict` when it is over. */
  end(id: number): Promise<TriageEntry>;
}

/** TRIAGE_MS is how long a decision lasts when neither it nor a policy says: "triage duration default 2160h". */
export const TRIAGE_MS = 2160 * 3_600_000;
/** 9999-12-31T23:59:59Z, the last second that RFC 3339 can write. */
const LAST_MS = 253_402_300_799_000;

/** openTriage joins triage to where it is kept. */
export function openTriage({
  store,
  policies,
  clock,
}: {
  readonly store: TriageStore;
  readonly policies: () => Promise<PoliciesInForce>;
  readonly clock: Clock;
}): Triage {
  return {
    async create({ digest, cve, reason, until }, by) {
      checkDigest(digest);
      const at = clock.now();
      const found = await store.found(digest, cve);
      if (found.kind === 'unknown_image') throw unknownImage(digest);
      if (found.kind === 'not_found' || (found.kind === 'unscanned') !== (cve === null))
        throw cve === null ? isScanned(digest) : notFound(cve, digest, found.kind === 'unscanned');
      const { namespaces } = found;
      const ends = until ?? Math.min(at + triageMs((await policies()).policies, namespaces), LAST_MS);
      if (ends <= at)
        throw refused('until', 'until must lie in the future; a decision that has ended has no effect');
      if (ends > LAST_MS) throw refused('until', 'until must lie before the year 10000');
      return store.create({
        digest,
        cve,
        severity: found.kind === 'found' ? found.severity : null,
        reason: reason.trim(),
        triagedBy: by.name,
        accountId: by.accountId,
        createdAt: at,
        until: Math.floor(ends),
      });
    },
    list: (query) => store.list({ ...query, at: clock.now() }),
    async end(id) {
      const at = clock.now();
      const ended = await store.end(id, at);
      if (ended !== null) return ended;
      const known = await store.get(id);
      if (known === null) throw new InventoryError('not_found', `no triage decision has the number ${id}`);
      throw new InventoryError('conflict', `the triage decision ${id} has ended already`, {
        hint: 'A decision has no effect once it has expired or was ended',
      });
    },
  };
}

/** triageMs gives how long a decision lasts by the policies that govern an image: the shortest that one of them declares. */
export function triageMs(policies: readonly Policy[], namespaces: readonly string[]): number {
  const places = namespaces.length === 0 ? [null] : namespaces;
  const declared = places.flatMap((namespace) =>
    governingAt(policies, namespace).flatMap(({ spec }) => {
      const { triage } = spec.sla ?? {};
      const ms = triage === undefined ? null : parseDuration(triage);
      return ms === null ? [] : [ms];
    }),
  );
  return declared.length === 0 ? TRIAGE_MS : Math.min(...declared);
}

/** What a scan found is decided on CVE by CVE: a decision on the image stands in for a scan, and never beside one. */
function isScanned(digest: string): InventoryError {
  const message = `the image ${digest} has a completed scan, so that packages were found in it`;
  return new InventoryError('invalid_request', message, {
    hint: 'Decide on the CVEs that were found',
    fields: [{ path: 'no_packages', message }],
  });
}

function notFound(cve: string, digest: string, unscanned: boolean): InventoryError {
  const message = unscanned
    ? `the image ${digest} has no completed scan, so that there is nothing to triage on it`
    : `${cve} is not among the findings of ${digest}`;
  return new InventoryError('invalid_request', message, {
    hint: unscanned
      ? 'Scan it first, or import a report; if the image has no packages, decide with no_packages'
      : `GET /api/v1/images/${digest} lists its findings`,
    fields: [{ path: unscanned ? 'digest' : 'cve', message }],
  });
}

function refused(path: string, message: string): InventoryError {
  return new InventoryError('invalid_request', message, { fields: [{ path, message }] });
}
