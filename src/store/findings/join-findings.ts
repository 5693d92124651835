import type { FoundAt } from '../../findings/index.ts';

/** JoinedFinding is a finding with the platforms that it was found on, as a JSON list; null: on each that the scan is of. */
export interface JoinedFinding {
  readonly cve: string;
  readonly severity: string;
  readonly package: string;
  readonly installed: string;
  readonly fixed: string | null;
  readonly purl: string | null;
  readonly platforms: string | null;
  readonly foundAt: FoundAt | null;
}

const keyOf = ({ cve, severity, package: name, installed, fixed, purl }: JoinedFinding): string =>
  JSON.stringify([cve, severity, name, installed, fixed, anyArchitecture(purl)]);

/** A layer is one of a single platform's image; what differs between platforms is left out. */
function commonPlace(a: FoundAt | null, b: FoundAt | null): FoundAt | null {
  if (a === null || b === null) return a ?? b;
  const same = (of: keyof FoundAt): string | null => (a[of] === b[of] ? a[of] : null);
  const common = { target: same('target'), path: same('path'), layer: same('layer') };
  return common.target === null && common.path === null && common.layer === null ? null : common;
}

/** A package URL that is about no architecture, so that a statement about one of them does not cover the package of another. */
function anyArchitecture(purl: string | null): string | null {
  if (purl === null || !/[?&]arch=/i.test(purl)) return purl;
  const [path = '', qualifiers = ''] = purl.split('?', 2);
  const rest = qualifiers.split('&').filter((pair) => !/^arch=/i.test(pair));
  return rest.length === 0 ? path : `${path}?${rest.join('&')}`;
}

/**
 * joinFindings puts what was found on one platform beside what was found on others: a finding that several have in common stands once, as
 * often as the platform has it that has it most. Whatever differs (severity, version, fix) is another finding, so that one that counts on
 * any platform counts for the whole. `before` are the findings of the scan that was put together so far from `had`; of those only `others`
 * stay.
 */
export function joinFindings<Found extends JoinedFinding>(
  before: readonly Found[],
  had: readonly string[],
  others: readonly string[],
  platform: string,
  found: readonly Found[],
): Found[] {
  const joined: { finding: Found; readonly on: Set<string> }[] = [];
  const byKey = new Map<string, { finding: Found; readonly on: Set<string> }[]>();
  for (const finding of before) {
    const on = finding.platforms === null ? had : (JSON.parse(finding.platforms) as string[]);
    const stays = new Set(on.filter((name) => others.includes(name)));
    if (stays.size === 0) continue;
    const entry = { finding, on: stays };
    joined.push(entry);
    const same = byKey.get(keyOf(finding));
    if (same === undefined) byKey.set(keyOf(finding), [entry]);
    else same.push(entry);
  }
  const taken = new Map<string, number>();
  for (const finding of found) {
    const key = keyOf(finding);
    const nth = taken.get(key) ?? 0;
    taken.set(key, nth + 1);
    const same = byKey.get(key)?.[nth];
    if (same === undefined) joined.push({ finding, on: new Set([platform]) });
    else {
      same.finding = { ...same.finding, foundAt: commonPlace(same.finding.foundAt, finding.foundAt) };
      same.on.add(platform);
    }
  }
  const all = new Set([...others, platform]);
  return joined.map(({ finding, on }) => ({
    ...finding,
    purl: on.size === 1 ? finding.purl : anyArchitecture(finding.purl),
    platforms: on.size === all.size ? null : JSON.stringify([...on].toSorted()),
  }));
}
