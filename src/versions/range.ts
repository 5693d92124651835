import { compareVersions } from './compare.ts';

interface Constraint {
  readonly comparator: '=' | '!=' | '<' | '<=' | '>' | '>=';
  readonly version: string;
}

/** Schemes of ranges whose versions are ordered as those of package URLs, where the name is another. */
const SCHEMES: Readonly<Record<string, string>> = { alpine: 'apk', go: 'golang' };

/** Types of package URLs whose versions are semantic, so that a range of `semver` can be about them. */
const SEMANTIC: ReadonlySet<string> = new Set(['cargo', 'golang', 'hex', 'npm', 'pub', 'semver']);

const MAX_CONSTRAINTS = 1000;

/**
 * isInRange tells whether a version of a package of a type is in a range of the form `vers:deb/>=1.2|<2`
 * (https://github.com/package-url/vers-spec). `type` is that of the package URL, or null where it is not known: then the range says it. Null
 * where it cannot be told: the text is not such a range, its versions are not in order, or of another ecosystem, or have no known order.
 */
export function isInRange(range: string, type: string | null, version: string): boolean | null {
  const match = /^vers:([a-z][a-z0-9.+-]*)\/(.+)$/i.exec(range.replace(/\s+/g, ''));
  if (match === null) return null;
  const scheme = (match[1] ?? '').toLowerCase();
  const text = match[2] ?? '';
  if (scheme === 'all' || scheme === 'none') return text === '*' ? scheme === 'all' : null;
  const ordered = Object.hasOwn(SCHEMES, scheme) ? (SCHEMES[scheme] ?? scheme) : scheme;
  const isOfType = type === null || ordered === type || (ordered === 'semver' && SEMANTIC.has(type));
  if (!isOfType) return null;
  const constraints = parseConstraints(text);
  if (constraints === 'all') return true;
  return constraints === null ? null : contains(constraints, ordered, version);
}

function parseConstraints(text: string): readonly Constraint[] | 'all' | null {
  if (text === '*') return 'all';
  const parts = text.split('|').filter((part) => part !== '');
  if (parts.length === 0 || parts.length > MAX_CONSTRAINTS) return null;
  const constraints: Constraint[] = [];
  for (const part of parts) {
    const match = /^(!=|<=|>=|=|<|>)?([^*<>=!|]+)$/.exec(part);
    const version = match === null ? null : decode(match[2] ?? '');
    if (match === null || version === null) return null;
    constraints.push({ comparator: (match[1] ?? '=') as Constraint['comparator'], version });
  }
  return constraints;
}

/** As the specification of `vers` has it, for constraints that it allows: in order, each version once, and none that another contains. */
function contains(constraints: readonly Constraint[], scheme: string, version: string): boolean | null {
  const placed: { readonly comparator: Constraint['comparator']; readonly order: number }[] = [];
  let before: string | null = null;
  for (const { comparator, version: bound } of constraints) {
    const order = compareVersions(scheme, version, bound);
    const step = before === null ? -1 : compareVersions(scheme, before, bound);
    if (order === null || step === null || step >= 0) return null;
    before = bound;
    placed.push({ comparator, order });
  }
  const bounds = placed.filter(({ comparator }) => comparator !== '=' && comparator !== '!=');
  if (bounds.some(({ comparator }, i) => i > 0 && comparator[0] === bounds[i - 1]?.comparator[0]))
    return null;
  const same = placed.find(({ order }) => order === 0);
  if (same !== undefined) return ['=', '<=', '>='].includes(same.comparator);
  // Without bounds: only what is excluded is named, so all the rest is in; or only what is in.
  if (bounds.length === 0) return placed.every(({ comparator }) => comparator === '!=');
  const next = bounds.findIndex(({ order }) => order < 0);
  // What lies between two bounds is in where the one before it opens; below the first where that closes, above the last where it opens.
  const [lower, upper] = next === -1 ? [bounds.at(-1), undefined] : [bounds[next - 1], bounds[next]];
  if (lower !== undefined) return lower.comparator.startsWith('>');
  return upper?.comparator.startsWith('<') ?? false;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
