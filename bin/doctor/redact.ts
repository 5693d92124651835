/** What stands for a secret. */
const HIDDEN = '[redacted]';

/** A name with a dot that ends in letters, with its port; versions and file names with known endings are none. */
const HOST =
  /\b(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+(?!(?:ts|json|yaml|yml|pem|md|log|db|txt|crt|key)\b)(?:[a-z]{2,24}|[A-Z]{2,24})(?::\d{1,5})?\b/g;
const IPV4 = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g;
const IPV6 = /(?<![\w:.-])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}(?![\w:])/gi;
const MAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const CREDENTIALS = /(?<=:\/\/)[^\s/@]+@/g;
/** Longer than a word, with digits: a token, a key, a ciphertext. Digests say nothing of anyone. */
const TOKEN = /(?<![\w+/-]|sha256:)(?=[\w+/=-]*\d)[\w+/-]{24,}={0,2}(?!\w)/g;
const HOME = /\/(?:home|Users)\/[^/\s"]+/g;

/** Names that look like hosts: API groups and annotations. */
const KNOWN = /(?:^|\.)(?:ipo\.dev|kubernetes\.io|k8s\.io)$/;

/**
 * redactAll gives a value with hosts, addresses, mail addresses and home directories under other names, the same each time (`host-1`), and
 * without secrets. `ids` of checks stay: they are compared by readers.
 */
export function redactAll(value: unknown, secrets: readonly string[]): unknown {
  const names = new Map<string, string>();
  const longest = secrets.toSorted((a, b) => b.length - a.length);
  const other = (kind: string, text: string): string => {
    const key = `${kind} ${text.toLowerCase()}`;
    const known = names.get(key);
    if (known !== undefined) return known;
    const count = [...names.keys()].filter((one) => one.startsWith(`${kind} `)).length + 1;
    names.set(key, `${kind}-${count}`);
    return `${kind}-${count}`;
  };
  const redact = (text: string): string => {
    let shown = text;
    for (const secret of longest) shown = shown.replaceAll(secret, HIDDEN);
    return shown
      .replaceAll(CREDENTIALS, '')
      .replaceAll(MAIL, (mail) => other('mail', mail))
      .replaceAll(TOKEN, HIDDEN)
      .replaceAll(HOME, '/home/user')
      .replaceAll(IPV4, (address) => other('address', address))
      .replaceAll(IPV6, (address) => other('address', address))
      .replaceAll(HOST, (host) => (KNOWN.test(host) ? host : other('host', host)));
  };
  const walk = (one: unknown, key: string): unknown => {
    if (typeof one === 'string') return KEPT.has(key) ? one : redact(one);
    if (Array.isArray(one)) return one.map((entry: unknown) => walk(entry, key));
    if (one === null || typeof one !== 'object') return one;
    return Object.fromEntries(Object.entries(one).map(([name, entry]) => [name, walk(entry, name)]));
  };
  return walk(value, '');
}

/** Fields whose values are words of our own. */
const KEPT: ReadonlySet<string> = new Set([
  'id',
  'subject',
  'state',
  'status',
  'format',
  'version',
  'made_at',
]);
