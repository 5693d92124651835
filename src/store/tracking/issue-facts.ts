import { sql } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  findingKey,
  type FindingName,
  type FoundPackage,
  type IssueFacts,
  type KnownFinding,
  type KnownImage,
} from '../../trackers/index.ts';
import type { FoundAt } from '../../findings/index.ts';
import { ADVISORY, toAdvisory, type AdvisoryRow } from '../findings/advisories.ts';
import { inLists } from '../sql/marks.ts';
import type { Store } from '../sql/store.ts';
import { placesOf } from '../findings/stored-findings.ts';
import { readAlert } from './alert-facts.ts';
import { readImages } from './issue-images.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

const PACKAGES = 50;
/** Places that are told of one package. */
const PLACES = 5;
/** Images that are read at once; between two such reads the process answers others. */
const AT_ONCE = 64;

/** issueFacts reads what issues are written from: what the store holds of images and their findings now. */
export function issueFacts({ read }: Pick<Store, 'read'>): IssueFacts {
  return {
    async images(digests) {
      const images = new Map<string, KnownImage>();
      await eachPart(digests, (part) => readImages(read, part, images));
      return images;
    },
    async findings(names) {
      const found = new Map<string, KnownFinding>();
      const byDigest = Map.groupBy(names, ({ digest }) => digest);
      await eachPart([...byDigest.keys()], (part) =>
        readFindings(
          read,
          part,
          part.flatMap((digest) => byDigest.get(digest) ?? []),
          found,
        ),
      );
      return found;
    },
    alert: (digest, rule) => readAlert(read, digest, rule),
  };
}

async function eachPart<T>(all: readonly T[], act: (part: readonly T[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += AT_ONCE) {
    if (from > 0) await nextTurn();
    await act(all.slice(from, from + AT_ONCE));
  }
}

interface FoundRow extends Omit<FoundPackage, 'foundAt'>, AdvisoryRow {
  readonly digest: string;
  readonly cve: string;
  readonly kev: number | null;
  readonly scan_id: number;
  readonly place: number | null;
}

async function readFindings(
  read: Executor,
  digests: readonly string[],
  names: readonly FindingName[],
  found: Map<string, KnownFinding>,
): Promise<void> {
  const wanted = new Set(names.map(findingKey));
  const cves = [...new Set(names.map(({ cve }) => cve))];
  for (const images of inLists(digests))
    for (const list of inLists(cves)) {
      const rows = await run(
        read,
        sql<FoundRow>`select s.digest, f.cve, f.package as name, f.installed, f.fixed, f.known_exploited as kev, f.scan_id, f.place, ${ADVISORY}
         from findings f join scans s on s.id = f.scan_id and s.current = 1
         left join advisories a on a.cve = f.cve and a.rated_by = f.rated_by
         where s.digest in (${images}) and f.cve in (${list})
         order by f.rank desc, f.ordinal`,
      );
      const places = await readPlaces(read, rows);
      for (const [key, all] of Map.groupBy(rows, findingKey))
        if (wanted.has(key)) found.set(key, toFinding(all, places));
    }
}

/** Where the packages of scans were found, by scan; of scans whose findings name a place. */
async function readPlaces(
  read: Executor,
  rows: readonly FoundRow[],
): Promise<ReadonlyMap<number, readonly FoundAt[]>> {
  const places = new Map<number, readonly FoundAt[]>();
  const scans = new Set(rows.flatMap(({ scan_id, place }) => (place === null ? [] : [scan_id])));
  for (const marks of inLists([...scans]))
    for (const { id, places: text } of await run(
      read,
      sql<Row<'scans', 'id' | 'places'>>`select id, places from scans where id in (${marks})`,
    ))
      places.set(id, placesOf(text));
  return places;
}

function toFinding(rows: readonly FoundRow[], places: ReadonlyMap<number, readonly FoundAt[]>): KnownFinding {
  const packages = new Map<string, Omit<FoundPackage, 'foundAt'> & { readonly at: Set<FoundAt> }>();
  // One package in several layers or files is one line.
  for (const { name, installed, fixed, scan_id, place } of rows) {
    const key = JSON.stringify([name, installed, fixed]);
    let found = packages.get(key);
    if (found === undefined) {
      if (packages.size === PACKAGES) continue;
      packages.set(key, (found = { name, installed, fixed, at: new Set() }));
    }
    const at = place === null ? undefined : places.get(scan_id)?.[place];
    if (at !== undefined) found.at.add(at);
  }
  const asked = rows.filter(({ kev }) => kev !== null);
  return {
    packages: [...packages.values()].map(({ at, ...found }) => ({
      ...found,
      foundAt: [...at].slice(0, PLACES),
      ...(at.size > PLACES && { morePlaces: at.size - PLACES }),
    })),
    knownExploited: asked.length === 0 ? null : asked.some(({ kev }) => kev === 1),
    advisory: rows.map(toAdvisory).find((advisory) => advisory !== null) ?? null,
  };
}
