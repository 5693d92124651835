import { byCodeUnit } from '../base/index.ts';
import { openMatcher } from './match.ts';
import { runtimeRule, type RuntimeRule } from './schema.ts';
import type { RecordedEvent } from './whatif.ts';

/** Noise is what one rule of the detector reported of one workload. */
export interface Noise {
  readonly rule: string;
  readonly namespace: string | null;
  /** Of events without one its image, else its host. */
  readonly workload: string;
  readonly events: number;
  readonly alerts: number;
  /** Of all events that were looked at, from 0 to 1. */
  readonly share: number;
  /** UTC milliseconds. */
  readonly last: number;
  /** The rules that decide these events now, those of most first: a rule that silences them stands before each. */
  readonly decidedBy: readonly { readonly rule: string; readonly events: number }[];
  /** The rule that would silence it. */
  readonly allow: RuntimeRule;
  /** What else that rule would silence, among the events that were looked at. */
  readonly also: {
    readonly events: number;
    readonly alerts: number;
    /** The workloads with the most events. */
    readonly workloads: readonly {
      readonly namespace: string | null;
      readonly workload: string;
      readonly events: number;
    }[];
  };
}

/** NoiseReport is what makes the noise, the loudest first. */
export interface NoiseReport {
  readonly events: number;
  /** Events beside these that a rule allowed: those make no noise. */
  readonly allowed: number;
  readonly from: number | null;
  readonly to: number | null;
  readonly groups: number;
  readonly items: readonly Noise[];
}

/**
 * Fields that say what a process is, those that tell most first. What changes with each event, pod or restart (times, ids, names of pods) is
 * none of them: a rule that names it silences nothing tomorrow.
 */
const TELLING = [
  'container.image.repository',
  'proc.name',
  'proc.exepath',
  'proc.pname',
  'user.name',
  'fd.name',
  'fd.sport',
  'ka.user.name',
  'ka.verb',
  'ka.target.resource',
] as const;
const MOST_FIELDS = 4;
const MOST_ALSO = 3;

interface Group {
  readonly rule: string;
  readonly namespace: string | null;
  readonly workload: string;
  readonly events: RecordedEvent[];
}

/**
 * findNoise groups events that no rule allowed by rule of the detector and workload, and gives for the loudest the narrowest rule that allows
 * all of theirs. The order of the events makes no difference.
 */
export function findNoise(all: readonly RecordedEvent[], limit: number): NoiseReport {
  const reported = all.filter(({ subject }) => subject.kind === 'event');
  const events = reported.filter(({ effect }) => effect !== 'allow');
  const groups = new Map<string, Group>();
  for (const event of events) {
    const { rule, namespace } = event.subject;
    const workload = workloadOf(event);
    const key = JSON.stringify([rule, namespace, workload]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { rule, namespace, workload, events: [event] });
    else group.events.push(event);
  }
  // Of equally loud ones the first by name: events come in either order.
  const ordered = [...groups].toSorted(([a], [b]) => byCodeUnit(a, b)).map(([, group]) => group);
  const loudest = ordered.toSorted((a, b) => b.events.length - a.events.length).slice(0, limit);
  const times = events.map(({ subject }) => subject.at);
  const [from, to] = times.length === 0 ? [null, null] : [least(times), most(times)];
  const items = loudest.map((group) => toNoise(group, ordered, events.length));
  const allowed = reported.length - events.length;
  return { events: events.length, allowed, from, to, groups: groups.size, items };
}

function toNoise(group: Group, groups: readonly Group[], total: number): Noise {
  const { rule, namespace, workload, events } = group;
  const allow = allowing(group);
  const matches = openMatcher(allow.match);
  const others = groups.flatMap((other) => {
    const silenced = other === group ? [] : other.events.filter(({ subject }) => matches(subject));
    return silenced.length === 0 ? [] : [{ other, silenced }];
  });
  const sum = (of: (silenced: readonly RecordedEvent[]) => number): number =>
    others.reduce((all, { silenced }) => all + of(silenced), 0);
  const workloads = others
    .toSorted((a, b) => b.silenced.length - a.silenced.length)
    .slice(0, MOST_ALSO)
    .map(({ other, silenced }) => ({
      namespace: other.namespace,
      workload: other.workload,
      events: silenced.length,
    }));
  return {
    rule,
    namespace,
    workload,
    events: events.length,
    alerts: alertsIn(events),
    share: events.length / total,
    last: most(events.map(({ subject }) => subject.at)),
    decidedBy: decidersOf(events),
    allow,
    also: { events: sum(({ length }) => length), alerts: sum(alertsIn), workloads },
  };
}

function decidersOf(events: readonly RecordedEvent[]): Noise['decidedBy'] {
  const counts = new Map<string, number>();
  for (const { rule } of events) if (rule !== null) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts]
    .map(([rule, count]) => ({ rule, events: count }))
    .toSorted((a, b) => b.events - a.events || byCodeUnit(a.rule, b.rule));
}

/** A match cannot name a workload, so that fields stand for it that are the same in all of its events. */
function allowing({ rule, namespace, workload, events }: Group): RuntimeRule {
  const fields = TELLING.flatMap((name) => {
    const [first] = events;
    const value = first?.subject.fields.get(name);
    const same = typeof value === 'string' && value !== '' && value.length <= 512;
    return same && events.every(({ subject }) => subject.fields.get(name) === value)
      ? [{ name, equals: value }]
      : [];
  });
  return runtimeRule.parse({
    name: nameOf(`${rule} in ${workload}`),
    match: {
      rules: [rule.slice(0, 512)],
      ...(namespace !== null && { namespaces: [namespace] }),
      ...(fields.length > 0 && { fields: fields.slice(0, MOST_FIELDS) }),
    },
    action: 'allow',
  });
}

/** A name that a rule may have. */
function nameOf(text: string): string {
  const inner = text.replaceAll(/[^\p{L}\p{N} ._:/()+-]+/gu, ' ').replace(/^[^\p{L}\p{N}]+/u, '');
  const cut = [...inner]
    .slice(0, 100)
    .join('')
    .replace(/[^\p{L}\p{N})]+$/u, '');
  return cut === '' ? 'allow' : cut;
}

function workloadOf({ workload, pod, image, subject }: RecordedEvent): string {
  return workload ?? image ?? pod ?? (subject.host === '' ? 'unknown host' : `host ${subject.host}`);
}

function alertsIn(events: readonly RecordedEvent[]): number {
  return events.filter(({ alerted }) => alerted).length;
}

function least(times: readonly number[]): number {
  return times.reduce((a, b) => Math.min(a, b), Infinity);
}

function most(times: readonly number[]): number {
  return times.reduce((a, b) => Math.max(a, b), -Infinity);
}
