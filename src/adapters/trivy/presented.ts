import { MAX_RATINGS, toAdvisory, toFoundAt, type Finding, type RatedBy } from '../../findings/index.ts';

/** Presented is what people read of a finding and no decision does. Nothing of it can make a report unreadable: it is left out instead. */
export type Presented = Pick<Finding, 'advisory' | 'foundAt'>;

/** Presents gives it for each entry of a report. */
export interface Presents {
  trivy(entry: unknown, target: unknown): Presented;
  operator(entry: unknown): Presented;
}

/** presentsOf reads the entries of one report; what is said of a vulnerability is kept once, however many packages have it. */
export function presentsOf(): Presents {
  const advisories = new Map<string | null, Map<string | null, Presented['advisory']>>();
  const once = (id: unknown, source: unknown, make: () => Presented['advisory']): Presented['advisory'] => {
    // Whatever else they are is refused or left out elsewhere, and can be nested deeper than can be written.
    const of = typeof id === 'string' ? id : null;
    const by = typeof source === 'string' ? source : null;
    const known = advisories.get(of);
    const had = known?.get(by);
    if (had !== undefined) return had;
    const made = make();
    if (known === undefined) advisories.set(of, new Map([[by, made]]));
    else known.set(by, made);
    return made;
  };
  // An image has few targets and layers, which follow each other.
  let last: { readonly key: readonly unknown[]; readonly at: Presented['foundAt'] } | null = null;
  const place = (target: unknown, path: unknown, layer: unknown): Presented['foundAt'] => {
    if (last !== null && last.key[0] === target && last.key[1] === path && last.key[2] === layer)
      return last.at;
    const at = toFoundAt({ target, path, layer });
    last = { key: [target, path, layer], at };
    return at;
  };
  return {
    trivy(entry, target) {
      const {
        VulnerabilityID: id,
        Title,
        PrimaryURL,
        SeveritySource,
        CVSS,
        PkgPath,
        Layer,
      } = fieldsOf(entry);
      const { Digest, DiffID } = fieldsOf(Layer);
      const advisory = once(id, SeveritySource, () =>
        toAdvisory({ title: Title, url: PrimaryURL, ratings: ratingsOf(CVSS), vendor: SeveritySource }),
      );
      return filled(advisory, place(target, PkgPath, Digest || DiffID));
    },
    operator(entry) {
      const {
        vulnerabilityID: id,
        title,
        primaryLink,
        score,
        cvss,
        cvsssource,
        target,
        packagePath,
      } = fieldsOf(entry);
      const advisory = once(id, cvsssource, () =>
        toAdvisory({
          title,
          url: primaryLink,
          vendor: cvsssource,
          ratings: [...ratingsOf(cvss), { source: cvsssource, vector: null, score }],
        }),
      );
      return filled(advisory, place(target, packagePath, null));
    },
  };
}

/** Only what is there, so that a finding without is as it was. */
function filled(advisory: Presented['advisory'], foundAt: Presented['foundAt']): Presented {
  return { ...(advisory ? { advisory } : {}), ...(foundAt ? { foundAt } : {}) };
}

/** By source, each with a vector and a score for each version of CVSS; those that are not there are left out where all would be read. */
function ratingsOf(value: unknown): RatedBy[] {
  const sources = Object.entries(fieldsOf(value)).slice(0, 50);
  const isWhole = sources.length * 3 <= MAX_RATINGS;
  const ratings: RatedBy[] = [];
  for (const [source, rated] of sources) {
    const { V40Vector, V40Score, V3Vector, V3Score, V2Vector, V2Score } = fieldsOf(rated);
    if (!isWhole || V40Score !== undefined) ratings.push({ source, vector: V40Vector, score: V40Score });
    if (!isWhole || V3Score !== undefined) ratings.push({ source, vector: V3Vector, score: V3Score });
    if (!isWhole || V2Score !== undefined) ratings.push({ source, vector: V2Vector, score: V2Score });
  }
  return ratings;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
