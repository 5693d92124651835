import { parseDuration } from '../base/index.ts';
import { openMatcher, type Matcher, type Subject } from './match.ts';
import type { RuntimePolicy, RuntimeRule } from './schema.ts';
import { Windows } from './windows.ts';

/** THROTTLE_MS is the throttle of a rule that says none: an hour. */
const THROTTLE_MS = 3_600_000;

/** RuntimeDecision is what the rules and the runtime policies say of one event. */
export interface RuntimeDecision {
  /** The rule that decides: the first enabled one that matches; null for none. */
  readonly rule: string | null;
  /** `record` where no rule matches, and where the window of the rule is not full. */
  readonly effect: 'allow' | 'record' | 'notify';
  /** Whether it gives an alert: it notifies, and the throttle lets it through. */
  readonly alert: boolean;
  /** Runtime policies that ask for a stop, in the order of their names; none where a rule allowed the event, or no digest is known. */
  readonly stops: readonly RuntimePolicy[];
}

/** Decided is an event that was decided before, of which windows and throttles are rebuilt. */
export interface Decided {
  readonly subject: Subject;
  readonly rule: string | null;
  readonly effect: string | null;
  readonly alerted: boolean;
}

/** actingPolicy gives the one that acts, of those that ask for a stop: the first that enforces, else the first; null of none. */
export function actingPolicy(stops: readonly RuntimePolicy[]): RuntimePolicy | null {
  return stops.find(({ spec }) => spec.enforcement === 'Enforce') ?? stops[0] ?? null;
}

interface OpenRule {
  readonly name: string;
  readonly matches: Matcher;
  readonly action: RuntimeRule['action'];
  readonly window: Windows | null;
  readonly throttle: number;
}

interface OpenPolicy {
  readonly policy: RuntimePolicy;
  readonly namespaces: ReadonlySet<string>;
  readonly matches: Matcher;
  readonly window: Windows | null;
}

const NONE: RuntimeDecision = { rule: null, effect: 'record', alert: false, stops: [] };

/**
 * RuntimeDecider decides events one after another, in the order of their ids. It has no clock and reads nothing: equal rules and equal
 * events give equal decisions, live and in a replay.
 */
export class RuntimeDecider {
  readonly #rules: readonly OpenRule[];
  readonly #policies: readonly OpenPolicy[];
  /** By rule and what it is about: when the last alert was given. */
  readonly #alerts = new Map<string, number>();
  #newest = 0;
  #sinceSwept = 0;

  constructor(rules: readonly RuntimeRule[], policies: readonly RuntimePolicy[]) {
    this.#rules = rules
      .filter(({ enabled }) => enabled)
      .map(({ name, match, action, window, throttle }) => ({
        name,
        action,
        matches: openMatcher(match),
        window: openWindow(window),
        throttle: throttle === undefined ? THROTTLE_MS : (parseDuration(throttle) ?? THROTTLE_MS),
      }));
    this.#policies = policies
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((policy) => ({
        policy,
        namespaces: new Set(policy.spec.targetNamespaces),
        matches: openMatcher(policy.spec.match),
        window: openWindow(policy.spec.window),
      }));
  }

  /** Decisions of the last milliseconds, this many, are reported again by `resume`. */
  get memory(): number {
    const spans = [
      ...this.#rules.flatMap(({ window, throttle, action }) => [
        window?.duration ?? 0,
        action === 'notify' ? throttle : 0,
      ]),
      ...this.#policies.map(({ window }) => window?.duration ?? 0),
    ];
    return Math.max(0, ...spans);
  }

  /** Takes over what was decided before, in the order of the ids. */
  resume({ subject, rule, effect, alerted }: Decided): void {
    const about = aboutOf(subject);
    const found = rule === null ? undefined : this.#rules.find(({ name }) => name === rule);
    found?.window?.add(about, subject.at);
    if (alerted && rule !== null) this.#noteAlert(rule, about, subject.at);
    if (effect !== 'allow' && subject.kind !== 'test') this.#stops(subject);
  }

  decide(subject: Subject): RuntimeDecision {
    if (subject.kind === 'test') return NONE;
    this.#sweep(subject.at);
    const about = aboutOf(subject);
    const rule = this.#rules.find(({ matches }) => matches(subject));
    const full = rule?.window === null || rule?.window.add(about, subject.at) === true;
    const effect = rule !== undefined && full ? rule.action : 'record';
    const alert = effect === 'notify' && rule !== undefined && this.#alerting(rule, about, subject.at);
    const stops = effect === 'allow' ? [] : this.#stops(subject);
    return { rule: rule?.name ?? null, effect, alert, stops };
  }

  /** The throttle counts from the last alert; an event from before that one gives none either. Zero throttles nothing. */
  #alerting({ name, throttle }: OpenRule, about: string, at: number): boolean {
    const last = this.#alerts.get(`${name}\n${about}`);
    if (throttle > 0 && last !== undefined && at < last + throttle) return false;
    this.#noteAlert(name, about, at);
    return true;
  }

  #noteAlert(rule: string, about: string, at: number): void {
    const key = `${rule}\n${about}`;
    this.#alerts.set(key, Math.max(at, this.#alerts.get(key) ?? at));
  }

  #stops(subject: Subject): readonly RuntimePolicy[] {
    if (subject.digest === null || this.#policies.length === 0) return [];
    const about = aboutOf(subject);
    return this.#policies.flatMap(({ policy, namespaces, matches, window }) => {
      const governs =
        namespaces.size === 0 || (subject.namespace !== null && namespaces.has(subject.namespace));
      if (!governs || !matches(subject)) return [];
      return window === null || window.add(about, subject.at) ? [policy] : [];
    });
  }

  /** What no window and no throttle reaches any more is forgotten now and then. */
  #sweep(at: number): void {
    this.#newest = Math.max(this.#newest, at);
    this.#sinceSwept += 1;
    if (this.#sinceSwept < 10_000) return;
    this.#sinceSwept = 0;
    // Events may come a day late, by their own time.
    const late = this.#newest - 86_400_000 - 300_000;
    for (const { window } of [...this.#rules, ...this.#policies]) window?.forget(late);
    const longest = Math.max(0, ...this.#rules.map(({ throttle }) => throttle));
    for (const [key, last] of this.#alerts) if (last < late - longest) this.#alerts.delete(key);
  }
}

function openWindow(window: RuntimeRule['window']): Windows | null {
  if (window === undefined || window.count <= 1) return null;
  return new Windows(window.count, parseDuration(window.duration) ?? 0);
}

/** Windows and throttles are kept per digest; of events without one, per host. */
function aboutOf({ digest, host }: Subject): string {
  return digest ?? `host ${host}`;
}
