import { openPattern } from '../policy/index.ts';
import { isAtLeast } from './priority.ts';
import type { Priority } from './priority.ts';
import type { RuntimeMatch } from './schema.ts';

/** LAST_VERDICTS are what the last admission review of an image can have said; `none` where it had none. */
export const LAST_VERDICTS = ['allowed', 'refused', 'none'] as const;
export type LastVerdict = (typeof LAST_VERDICTS)[number];

/** readLastVerdict reads one that was written down. */
export function readLastVerdict(text: string | null): LastVerdict {
  return LAST_VERDICTS.find((one) => one === text) ?? 'none';
}

/** Subject is an event as rules and runtime policies judge it: joined, with what was known of its image then. */
export interface Subject {
  readonly kind: 'event' | 'heartbeat' | 'test';
  /** UTC milliseconds. */
  readonly at: number;
  readonly rule: string;
  readonly priority: Priority;
  readonly source: string;
  readonly tags: readonly string[];
  readonly fields: ReadonlyMap<string, string | null>;
  readonly host: string;
  readonly digest: string | null;
  readonly namespace: string | null;
  readonly lastVerdict: LastVerdict;
  /** Whether a signature of the image was verified. */
  readonly signed: boolean;
}

/** Matcher tells whether a subject is meant; compiled once. */
export type Matcher = (subject: Subject) => boolean;

/** openMatcher compiles a match: each of its parts must hold, of a list any entry, of the fields all. */
export function openMatcher(match: RuntimeMatch): Matcher {
  const { rules, tags, priority, sources, fields, lastVerdict, signed, namespaces } = match;
  const parts: Matcher[] = [];
  if (rules !== undefined) parts.push(anyOf(rules, ({ rule }) => rule));
  if (priority !== undefined) parts.push((subject) => isAtLeast(subject.priority, priority));
  if (sources !== undefined) parts.push(anyOf(sources, ({ source }) => source));
  if (namespaces !== undefined) parts.push(anyOf(namespaces, ({ namespace }) => namespace));
  if (lastVerdict !== undefined) parts.push((subject) => subject.lastVerdict === lastVerdict);
  if (signed !== undefined) parts.push((subject) => subject.signed === signed);
  if (tags !== undefined) {
    const wanted = new Set(tags);
    parts.push((subject) => subject.tags.some((tag) => wanted.has(tag)));
  }
  for (const field of fields ?? []) parts.push(openField(field));
  return (subject) => parts.every((part) => part(subject));
}

function anyOf(list: readonly string[], of: (subject: Subject) => string | null): Matcher {
  const wanted = new Set<string | null>(list);
  return (subject) => wanted.has(of(subject));
}

/** What the detector did not know is equal to nothing and matches nothing. */
function openField(field: NonNullable<RuntimeMatch['fields']>[number]): Matcher {
  const { name } = field;
  const holds = (test: (value: string) => boolean): Matcher => {
    return ({ fields }) => {
      const value = fields.get(name);
      return value !== undefined && value !== null && test(value);
    };
  };
  if (field.equals !== undefined) return holds((value) => value === field.equals);
  if (field.in !== undefined) {
    const wanted = new Set(field.in);
    return holds((value) => wanted.has(value));
  }
  const pattern = openPattern(field.matches ?? '');
  return pattern === null ? () => false : holds((value) => pattern.matches(value));
}
