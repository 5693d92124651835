import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  findingKey,
  type FindingName,
  type FoundPackage,
  type IssueFacts,
  type KnownFinding,
  type KnownImage,
} from '../trackers/index.ts';
import { runText } from './dialect.ts';
import { inChunks } from './marks.ts';
import type { Store } from './store.ts';
import { readImages } from './tracking-issue-images.ts';

type Executor = Parameters<typeof runText>[0];

const PACKAGES = 50;
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
  };
}

async function eachPart<T>(all: readonly T[], act: (part: readonly T[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += AT_ONCE) {
    if (from > 0) await nextTurn();
    await act(all.slice(from, from + AT_ONCE));
  }
}

interface FoundRow extends FoundPackage {
  readonly digest: string;
  readonly cve: string;
  readonly kev: number | null;
}

async function readFindings(
  read: Executor,
  digests: readonly string[],
  names: readonly FindingName[],
  found: Map<string, KnownFinding>,
): Promise<void> {
  const wanted = new Set(names.map(findingKey));
  const cves = [...new Set(names.map(({ cve }) => cve))];
  for (const images of inChunks(digests))
    for (const { marks, cells } of inChunks(cves)) {
      const rows = await runText<FoundRow>(
        read,
        `select s.digest, f.cve, f.package as name, f.installed, f.fixed, f.known_exploited as kev
         from findings f join scans s on s.id = f.scan_id and s.current = 1
         where s.digest in (${images.marks}) and f.cve in (${marks})
         order by f.rank desc, f.ordinal`,
        [...images.cells, ...cells],
      );
      for (const [key, all] of Map.groupBy(rows, findingKey))
        if (wanted.has(key)) found.set(key, toFinding(all));
    }
}

function toFinding(rows: readonly FoundRow[]): KnownFinding {
  const packages = new Map<string, FoundPackage>();
  // One package in several layers or files is one line.
  for (const { name, installed, fixed } of rows)
    if (packages.size < PACKAGES)
      packages.set(JSON.stringify([name, installed, fixed]), { name, installed, fixed });
  const asked = rows.filter(({ kev }) => kev !== null);
  return {
    packages: [...packages.values()],
    knownExploited: asked.length === 0 ? null : asked.some(({ kev }) => kev === 1),
  };
}
