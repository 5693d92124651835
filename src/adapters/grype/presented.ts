import { toAdvisory, toFoundAt, type Finding, type RatedBy } from '../../findings/index.ts';

/** Presented is what people read of a finding and no decision does. Nothing of it can make a report unreadable: it is left out instead. */
type Presented = Pick<Finding, 'advisory' | 'foundAt'>;

/** A sentence, or as much of it as a title may have. */
const SENTENCE = /^.{1,300}?[.!?](?=\s|$)/su;

/**
 * presentedOf reads what a match says of a CVE that it is about. Grype has no titles: the first sentence of the description is one. Its
 * own rating comes before that of the CVE's record at NVD.
 */
export function presentedOf(match: unknown, cve: string): Presented {
  const { vulnerability, relatedVulnerabilities, artifact } = fieldsOf(match);
  const own = fieldsOf(vulnerability);
  const related = listOf(relatedVulnerabilities).map(fieldsOf);
  const same = related.find(({ id }) => id === cve);
  const described = [own, ...(same === undefined ? [] : [same])].find(
    ({ description }) => typeof description === 'string' && description.trim() !== '',
  )?.['description'];
  const [first] = ratingsOf(own);
  const advisory = toAdvisory({
    title: typeof described === 'string' ? (SENTENCE.exec(described.trim())?.[0] ?? described) : null,
    url: [own['dataSource'], same?.['dataSource']].find(
      (url) => typeof url === 'string' && url.startsWith('https://'),
    ),
    ratings: [...ratingsOf(own), ...(same === undefined ? [] : ratingsOf(same))],
    vendor: first?.source,
  });
  const [location] = listOf(fieldsOf(artifact)['locations']).map(fieldsOf);
  const foundAt = toFoundAt({ target: null, path: location?.['path'], layer: location?.['layerID'] });
  return { ...(advisory ? { advisory } : {}), ...(foundAt ? { foundAt } : {}) };
}

/** Of an older Grype that does not say whose a rating is, it is that of the record that it stands in. */
function ratingsOf(record: Readonly<Record<string, unknown>>): RatedBy[] {
  const [place] = typeof record['namespace'] === 'string' ? record['namespace'].split(':') : [];
  return listOf(record['cvss'])
    .map(fieldsOf)
    .map(({ source, vector, metrics }) => ({
      source: source === 'nvd@nist.gov' ? 'nvd' : source || place,
      vector,
      score: fieldsOf(metrics)['baseScore'],
    }));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]).slice(0, 100) : [];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
