import { toAdvisory, toFoundAt, type Finding, type RatedBy } from '../../findings/index.ts';

/** Presented is what people read of a finding and no decision does. Nothing of it can make a report unreadable: it is left out instead. */
export type Presented = Pick<Finding, 'advisory' | 'foundAt'>;

/** Presents gives it for each entry of a report. */
export interface Presents {
  trivy(entry: unknown, target: unknown): Presented;
  operator(entry: unknown): Presented;
}

/** presentsOf reads the entries of one report; what is said of a vulnerability is kept once, however many packages have it. */
export function presentsOf(): Presents {
  const advisories = new Map<string, Presented['advisory']>();
  const once = (id: unknown, source: unknown, make: () => Presented['advisory']): Presented['advisory'] => {
    // Whatever else they are is refused or left out elsewhere, and can be nested deeper than can be written.
    const key = JSON.stringify([id, source].map((value) => (typeof value === 'string' ? value : null)));
    const known = advisories.get(key);
    if (known !== undefined) return known;
    const made = make();
    advisories.set(key, made);
    return made;
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
      return filled(advisory, toFoundAt({ target, path: PkgPath, layer: Digest || DiffID }));
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
          ...{ title, url: primaryLink, vendor: cvsssource },
          ratings: [...ratingsOf(cvss), { source: cvsssource, vector: null, score }],
        }),
      );
      return filled(advisory, toFoundAt({ target, path: packagePath, layer: null }));
    },
  };
}

/** Only what is there, so that a finding without is as it was. */
function filled(advisory: Presented['advisory'], foundAt: Presented['foundAt']): Presented {
  return { ...(advisory ? { advisory } : {}), ...(foundAt ? { foundAt } : {}) };
}

/** By source, each with a vector and a score for each version of CVSS. */
function ratingsOf(value: unknown): RatedBy[] {
  return Object.entries(fieldsOf(value))
    .slice(0, 50)
    .flatMap(([source, rated]) => {
      const { V40Vector, V40Score, V3Vector, V3Score, V2Vector, V2Score } = fieldsOf(rated);
      return [
        { source, vector: V40Vector, score: V40Score },
        { source, vector: V3Vector, score: V3Score },
        { source, vector: V2Vector, score: V2Score },
      ];
    });
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
