/** Challenge is one way of showing who asks, as `WWW-Authenticate` names it. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** Names in lower case; of a name given twice the first counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

const MAX_HEADER = 8192;
const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
/** A credential of an older form, `Negotiate abc==`, which is passed over. */
const TOKEN68 = /[A-Za-z0-9._~+/-]+=*(?=\s*(?:,|$))/y;
const BLANKS = /[\s,]*/y;
const EQUALS = /\s*=\s*/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;

/** parseChallenges reads a `WWW-Authenticate` header, of several as one list, as RFC 9110 has it; what does not read so ends it. */
export function parseChallenges(header: string): readonly Challenge[] {
  const text = header.slice(0, MAX_HEADER);
  const found: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    take(BLANKS);
    const name = take(TOKEN)?.[0].toLowerCase();
    if (name === undefined) return found;
    const last = found.at(-1);
    if (last !== undefined && take(EQUALS) !== null) {
      const quoted = take(QUOTED);
      const value = quoted === null ? take(TOKEN)?.[0] : quoted[1]?.replaceAll(/\\(.)/gs, '$1');
      if (value === undefined) return found;
      if (!last.parameters.has(name)) last.parameters.set(name, value);
      continue;
    }
    found.push({ scheme: name, parameters: new Map() });
    const before = at;
    take(/\s+/y);
    // A parameter looks like the beginning of one; `name=` is told apart by what follows.
    const parameter = /[!#$%&'*+.^_`|~0-9A-Za-z-]+\s*=\s*(?:"|[^\s=,])/y;
    parameter.lastIndex = at;
    if (!parameter.test(text) && take(TOKEN68) === null) at = before;
  }
}
