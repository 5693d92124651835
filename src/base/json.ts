/** JsonKeyError says that an object of a JSON text has a key twice, or one that reaches into prototypes: two readers would see two things. */
export class JsonKeyError extends Error {
  override readonly name = 'JsonKeyError';
}

/**
 * parseStrictJson is JSON.parse for texts that decide something: a text in which an object has a key twice (also where one of the two is
 * written with escapes), or has the key `__proto__`, is refused. Throws SyntaxError as JSON.parse does, and JsonKeyError, whose message is
 * a clause that names the key with its path. `anyName` leaves `__proto__` in, for code that reads foreign names only as names.
 */
export function parseStrictJson(text: string, { anyName = false } = {}): unknown {
  const value: unknown = JSON.parse(text);
  // Equal numbers mean that JSON.parse has dropped no key: this costs less than a set of keys for each object.
  const fields = mayHaveProto(text) ? countFields(value) : countOwnFields(value);
  if (mostKeys(text) === fields || countKeys(text) === fields) return value;
  const fault = findKeyFault(text, anyName);
  if (fault !== null) throw new JsonKeyError(fault);
  return value;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

/** False where no key can be `__proto__`, also written with escapes. */
function mayHaveProto(text: string): boolean {
  return text.includes('__proto__') || text.includes('\\u');
}

/** How many keys a valid JSON text writes at most: a colon behind a quote may stand in a text as well. Several times as fast as counting. */
function mostKeys(text: string): number {
  let keys = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (isSpace(text.charCodeAt(before))) before -= 1;
    if (text.charCodeAt(before) === QUOTE) keys += 1;
  }
  return keys;
}

/** How many keys a valid JSON text writes. */
function countKeys(text: string): number {
  let keys = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    at = endOfString(text, at);
    let next = at + 1;
    while (isSpace(text.charCodeAt(next))) next += 1;
    if (text.charCodeAt(next) === COLON) keys += 1;
  }
  return keys;
}

/** How many fields there are in a value and in all within it; NaN where one is `__proto__`. */
function countFields(value: unknown): number {
  let fields = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (one === null || typeof one !== 'object') continue;
    const values: readonly unknown[] = Array.isArray(one) ? one : Object.values(one);
    if (!Array.isArray(one)) fields += Object.hasOwn(one, '__proto__') ? NaN : values.length;
    for (const inner of values) if (inner !== null && typeof inner === 'object') waiting.push(inner);
  }
  return fields;
}

/** endOfString gives the place of the quote that ends the JSON text which begins at `from`, or the end of all. */
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** countFields where no field is `__proto__`. */
function countOwnFields(value: unknown): number {
  let fields = 0;
  const waiting: object[] = value !== null && typeof value === 'object' ? [value] : [];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (Array.isArray(one)) {
      for (const inner of one as readonly unknown[])
        if (inner !== null && typeof inner === 'object') waiting.push(inner);
    } else
      for (const key in one) {
        fields += 1;
        const inner = (one as Readonly<Record<string, unknown>>)[key];
        if (inner !== null && typeof inner === 'object') waiting.push(inner);
      }
  }
  return fields;
}

interface Open {
  /** Null for a list. */
  readonly keys: Set<string> | null;
  /** The key or the index that is being read. */
  at: string | number;
}

/** findKeyFault walks a valid JSON text and says which key is wrong, and where; null for none. */
function findKeyFault(text: string, anyName: boolean): string | null {
  const open: Open[] = [];
  let isKey = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const inner = open.at(-1);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (isKey && inner?.keys) {
        const quoted = text.slice(at, end + 1);
        const key = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
        inner.at = key;
        if (key === '__proto__' && !anyName) return `the field "${pathOf(open)}" is not allowed`;
        if (inner.keys.has(key)) return `the field "${pathOf(open)}" is written twice`;
        inner.keys.add(key);
        isKey = false;
      }
      at = end;
    } else if (code === 123 || code === 91) {
      open.push({ keys: code === 123 ? new Set() : null, at: 0 });
      isKey = code === 123;
    } else if (code === 125 || code === 93) {
      open.pop();
      isKey = false;
    } else if (code === 44 && inner !== undefined) {
      isKey = inner.keys !== null;
      if (typeof inner.at === 'number') inner.at += 1;
    }
  }
  return null;
}

/** Characters of a path that are told. */
const MAX_PATH = 200;

function pathOf(open: readonly Open[]): string {
  let path = '';
  for (const { keys, at } of open) path += keys === null ? `[${at}]` : `${path === '' ? '' : '.'}${at}`;
  return path.length > MAX_PATH ? `…${path.slice(-MAX_PATH)}` : path;
}
