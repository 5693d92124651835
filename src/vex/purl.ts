/** Purl is a package URL taken apart and decoded (https://github.com/package-url/purl-spec). */
export interface Purl {
  /** In lowercase: `oci`, `deb`, `golang`. */
  readonly type: string;
  /** With `/` between its segments; empty for none. */
  readonly namespace: string;
  readonly name: string;
  /** Null where the URL stands for every version. */
  readonly version: string | null;
  readonly qualifiers: ReadonlyMap<string, string>;
}

const MAX_LENGTH = 4096;

/** parsePurl reads a package URL; null for a text that is none. */
export function parsePurl(text: string): Purl | null {
  if (text.length > MAX_LENGTH || !/^pkg:/i.test(text)) return null;
  const [withoutSubpath = ''] = text.slice(4).split('#', 1);
  const mark = withoutSubpath.indexOf('?');
  const path = (mark === -1 ? withoutSubpath : withoutSubpath.slice(0, mark)).replace(/^\/+/, '');
  const slash = path.indexOf('/');
  if (slash < 1) return null;
  const type = path.slice(0, slash).toLowerCase();
  if (!/^[a-z][a-z0-9.+-]*$/.test(type)) return null;
  let rest = path.slice(slash + 1);
  let version: string | null = null;
  // An npm scope begins with an unencoded `@` in what some tools write, so only one behind the last `/` divides.
  const at = rest.lastIndexOf('@');
  if (at > 0 && at > rest.lastIndexOf('/')) {
    version = rest.slice(at + 1);
    rest = rest.slice(0, at);
  }
  const segments = rest.split('/').filter((segment) => segment !== '');
  const decoded = segments.map(decode);
  const decodedVersion = version === null || version === '' ? null : decode(version);
  if (
    decoded.length === 0 ||
    decoded.includes(null) ||
    (version !== null && version !== '' && decodedVersion === null)
  )
    return null;
  const name = decoded.at(-1) ?? '';
  if (name === '') return null;
  const qualifiers = readQualifiers(mark === -1 ? '' : withoutSubpath.slice(mark + 1));
  if (qualifiers === null) return null;
  return { type, namespace: decoded.slice(0, -1).join('/'), name, version: decodedVersion, qualifiers };
}

function readQualifiers(text: string): Map<string, string> | null {
  const qualifiers = new Map<string, string>();
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=');
    if (equals < 1) continue;
    const value = decode(pair.slice(equals + 1));
    if (value === null) return null;
    if (value !== '') qualifiers.set(pair.slice(0, equals).toLowerCase(), value);
  }
  return qualifiers;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // a damaged escape: it cannot be told what was meant
  }
}
