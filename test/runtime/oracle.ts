/**
 * A second implementation of runtime rules, which shares no code with the service: which rule decides an event, and its effect.
 * Slow and plain: it keeps every event, and asks everything again for each.
 */

export interface OracleRule {
  readonly name: string;
  readonly enabled: boolean;
  readonly match: {
    readonly rules?: readonly string[];
    readonly tags?: readonly string[];
    readonly priority?: string;
    readonly sources?: readonly string[];
    readonly fields?: readonly {
      readonly name: string;
      readonly equals?: string;
      readonly in?: readonly string[];
      readonly matches?: string;
    }[];
    readonly namespaces?: readonly string[];
    readonly lastVerdict?: string;
    readonly signed?: boolean;
  };
  readonly window?: { readonly count: number; readonly seconds: number };
  readonly action: 'allow' | 'record' | 'notify';
  readonly throttleSeconds?: number;
}

export interface OracleAnswer {
  readonly rule: string | null;
  readonly effect: string;
  readonly alert: boolean;
}

const ORDER = 'emergency alert critical error warning notice informational debug'.split(' ');

/** oracle decides the lines of a file one after another. */
export function oracle(lines: readonly string[], rules: readonly OracleRule[]): OracleAnswer[] {
  const past: { rule: string | null; about: string; at: number; alert: boolean }[] = [];
  return lines.map((line) => {
    const event = JSON.parse(line) as Record<string, string | undefined>;
    if (event['rule'] === 'Test rule') return { rule: null, effect: 'record', alert: false };
    const fields = textsOf(line);
    const at = Math.floor(Date.parse(String(event['time'])));
    const digest = fields.get('container.image.digest') ?? '';
    const about = /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : `host ${event['hostname'] ?? ''}`;
    const rule = rules.find((one) => one.enabled && matches(one.match, event, fields));
    if (rule === undefined) {
      past.push({ rule: null, about, at, alert: false });
      return { rule: null, effect: 'record', alert: false };
    }
    const { window } = rule;
    const inWindow = past.filter(
      (one) => one.rule === rule.name && one.about === about && at - one.at < (window?.seconds ?? 0) * 1000,
    );
    const full = window === undefined || window.count <= 1 || inWindow.length + 1 >= window.count;
    const effect = full ? rule.action : 'record';
    const throttle = (rule.throttleSeconds ?? 3600) * 1000;
    const throttled = past.some(
      (one) =>
        throttle > 0 && one.alert && one.rule === rule.name && one.about === about && at < one.at + throttle,
    );
    const alert = effect === 'notify' && !throttled;
    past.push({ rule: rule.name, about, at, alert });
    return { rule: rule.name, effect, alert };
  });
}

function matches(
  match: OracleRule['match'],
  event: Record<string, string | undefined>,
  fields: ReadonlyMap<string, string>,
): boolean {
  const any = (list: readonly string[] | undefined, value: string | undefined): boolean =>
    list === undefined || (value !== undefined && list.includes(value));
  const source = (event['source'] ?? 'syscall').replace(/^syscalls$/, 'syscall');
  const namespace = fields.get('k8s.ns.name') ?? fields.get('ka.target.namespace');
  const rank = (priority: unknown): number => ORDER.indexOf(String(priority).toLowerCase());
  return (
    any(match.rules, String(event['rule'])) &&
    any(match.sources, source) &&
    any(match.namespaces, namespace) &&
    (match.tags === undefined ||
      match.tags.some((tag) => ((event['tags'] ?? []) as readonly string[]).includes(tag))) &&
    (match.priority === undefined || rank(event['priority']) <= rank(match.priority)) &&
    (match.lastVerdict === undefined || match.lastVerdict === 'none') &&
    (match.signed === undefined || !match.signed) &&
    (match.fields ?? []).every((field) => {
      const value = fields.get(field.name);
      if (value === undefined) return false;
      if (field.equals !== undefined) return value === field.equals;
      if (field.in !== undefined) return field.in.includes(value);
      return new RegExp(`^(?:${field.matches ?? ''})$`, 's').test(value);
    })
  );
}

/** The output fields as texts, numbers as they are written; what is null or `<NA>` is not there. */
function textsOf(line: string): Map<string, string> {
  // Every number becomes a text by itself, so that none is rounded.
  const quoted = line.replace(
    /("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g,
    (_all, text?: string, number?: string) => text ?? `"${number ?? ''}"`,
  );
  const { output_fields: fields = {} } = JSON.parse(quoted) as { output_fields?: Record<string, unknown> };
  return new Map(
    Object.entries(fields)
      .filter(([, value]) => value !== null && value !== '<NA>')
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
