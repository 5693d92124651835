import { hash } from 'node:crypto';
import { DAY_MS, parseTime } from '../base/index.ts';
import { isTooDeep, numberText, parseLossless } from './lossless.ts';
import { parsePriority, type Priority } from './priority.ts';

/** EventKind: `heartbeat` is what the detector tells of itself (metrics, drops), `test` the test of a connection, which no rule matches. */
export type EventKind = 'event' | 'heartbeat' | 'test';

/** DetectorEvent is an event as Falco or falcosidekick sends it, read. */
export interface DetectorEvent {
  readonly kind: EventKind;
  readonly rule: string;
  readonly priority: Priority;
  /** `syscall`, `k8s_audit`, `internal` or a plugin's name. */
  readonly source: string;
  /** As written, to the nanosecond. */
  readonly time: string;
  /** UTC milliseconds: its own time, or that of receipt where it is far off. */
  readonly at: number;
  readonly host: string;
  readonly output: string;
  readonly tags: readonly string[];
  /** By name: the value as text, numbers as written; null where the detector knew nothing. */
  readonly fields: ReadonlyMap<string, string | null>;
  /** The output fields as a JSON object, numbers as written. */
  readonly fieldsText: string;
  /** Whether the relay cut long strings. */
  readonly truncated: boolean;
  /** The same event twice has one key. */
  readonly key: string;
}

/** UnreadableEvent says in a clause why a text is not an event. */
export interface UnreadableEvent {
  readonly fault: string;
}

const MAX_NAME = 1024;
/** How far the detector's time may be ahead of the receipt, and behind it, before the receipt counts. */
const AHEAD = 5 * 60_000;
const BEHIND = DAY_MS;

/**
 * parseEvent reads one event of Falco's `http_output` or of falcosidekick's webhook, in all shapes that they have: tags, output, host and
 * fields may be missing. `receivedAt` is null for a file of events, whose own times count.
 */
export function parseEvent(text: string, receivedAt: number | null): DetectorEvent | UnreadableEvent {
  if (isTooDeep(text)) return { fault: 'it is nested deeper than 32 levels' };
  let value: unknown;
  try {
    value = parseLossless(text);
  } catch {
    return { fault: 'it is not JSON' };
  }
  if (!isObject(value)) return { fault: 'it is not a JSON object' };
  return toEvent(value, receivedAt);
}

type Raw = Readonly<Record<string, unknown>>;

function toEvent(value: Raw, receivedAt: number | null): DetectorEvent | UnreadableEvent {
  const fault = faultOf(value);
  if (fault !== null) return { fault };
  const { rule, time, uuid } = value as { rule: string; time: string; uuid: unknown };
  const priority = parsePriority(textOf(value['priority'])) ?? 'Debug';
  const given = (value['output_fields'] ?? {}) as Raw;
  const own = parseTime(time);
  const fields = toFields(given);
  const source = toSource(textOf(value['source']));
  const host = textOf(value['hostname']);
  return {
    kind: kindOf(rule, source),
    rule,
    priority,
    source,
    time,
    host,
    fields,
    at: receivedAt === null || isNear(own, receivedAt) ? Math.floor(own) : receivedAt,
    output: textOf(value['output']),
    tags: (value['tags'] ?? []) as readonly string[],
    fieldsText: JSON.stringify(given),
    truncated: typeof uuid === 'string' && [...fields.values()].some(isCut),
    key: keyOf(host, time, rule, fields),
  };
}

/** Why an object is not an event, or null. */
function faultOf(value: Raw): string | null {
  const { rule, priority, time, tags, output_fields: fields } = value;
  if (typeof rule !== 'string' || rule === '' || rule.length > MAX_NAME)
    return '"rule" is not a text of 1 to 1024 characters';
  if (typeof priority !== 'string' || parsePriority(priority) === null)
    return '"priority" is not one of Falco’s eight';
  if (typeof time !== 'string' || Number.isNaN(parseTime(time))) return '"time" is not an RFC 3339 time';
  if (!isMaybe(fields, isObject)) return '"output_fields" is not an object';
  if (!isMaybe(tags, isTexts)) return '"tags" is not a list of texts';
  const other = ['output', 'hostname', 'source'].find((name) => !isMaybe(value[name], isText));
  return other === undefined ? null : `"${other}" is not a text`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && numberText(value) === null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function isMaybe(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || is(value);
}

function isNear(own: number, receivedAt: number): boolean {
  return own <= receivedAt + AHEAD && own >= receivedAt - BEHIND;
}

/** The relay says `syscalls` where Falco says nothing. */
function toSource(source: string): string {
  return source === '' || source === 'syscalls' ? 'syscall' : source;
}

function kindOf(rule: string, source: string): EventKind {
  if (rule === 'Test rule') return 'test';
  return source === 'internal' || rule.startsWith('Falco internal:') ? 'heartbeat' : 'event';
}

/** toFields gives output fields as texts; `null` and `<NA>` are what the detector did not know. */
export function toFields(given: Readonly<Record<string, unknown>>): ReadonlyMap<string, string | null> {
  return new Map(Object.entries(given).map(([name, value]) => [name, fieldText(value)]));
}

/** fieldText gives the value of one. */
export function fieldText(value: unknown): string | null {
  if (value === null || value === '<NA>') return null;
  if (typeof value === 'string') return value;
  return numberText(value) ?? JSON.stringify(value);
}

/** Over 4096 bytes falcosidekick cuts a string of more than 512 bytes to 507 and this mark. */
function isCut(value: string | null): boolean {
  return value !== null && value.endsWith('[...]') && Buffer.byteLength(value) >= 508;
}

function keyOf(host: string, time: string, rule: string, fields: ReadonlyMap<string, string | null>): string {
  const sorted = [...fields].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const digest = hash('sha256', JSON.stringify([host, exactTime(time), rule, sorted]), 'base64url');
  return `${timePrefix(parseTime(time))}${digest}`;
}

/**
 * timePrefix gives what keys of events of a time begin with, as UTC milliseconds. By their digests only, events of one moment would lie all over
 * the index of keys, each on a page of its own that is written with it.
 */
function timePrefix(at: number): string {
  return Math.max(0, Math.floor(at)).toString(16).padStart(12, '0');
}

/** A time as Falco writes it, to the nanosecond; the relay leaves out zeros at its end. */
function exactTime(time: string): string {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? '';
  const second = new Date(Math.floor(parseTime(time) / 1000) * 1000).toISOString();
  return second.replace('.000Z', `.${fraction.slice(0, 9).padEnd(9, '0')}Z`);
}
