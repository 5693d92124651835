import { formatMinute, oneLine } from '../../base/index.ts';
import { code, line, type Line, type Piece } from '../../text/index.ts';
import type { KnownPlace, Payload, Section } from '../content.ts';
import type { Severity } from '../message.ts';

/** EventText is how one event is told. */
export interface EventText {
  readonly severity: Severity;
  /** For a title; as short as can be. */
  title(section: Section, places: Places): string;
  /** What happened, in a sentence; the title says the rest. */
  happened(section: Section): Line;
  /** One line for each subject that is shown. */
  lines(section: Section, places: Places): readonly Line[];
  /** What the lines count, for "and N more": such as `images`. */
  readonly of: string;
  /** Why it matters, or what to do. */
  readonly why: string;
  /** The command that shows more. */
  command(section: Section): string;
}

/** Places are where images are known to run, by digest. */
export type Places = Readonly<Record<string, KnownPlace>>;

/** Characters of a value from outside that are shown. */
const MAX_VALUE = 120;

/** said is a field of a payload as one line; `–` where it is missing. */
export function said(payload: Payload | undefined, field: string, max = MAX_VALUE): string {
  const value = payload?.[field];
  const text = typeof value === 'string' || typeof value === 'number' ? oneLine(String(value), max) : '';
  return text === '' ? '–' : text;
}

/** shown is the same as a piece of a line. */
export function shown(payload: Payload | undefined, field: string, max = MAX_VALUE): Piece {
  return code(said(payload, field, max));
}

/** has says whether a field of a payload is known: a text, whatever of it can be shown. */
export function has(payload: Payload | undefined, field: string): boolean {
  return typeof payload?.[field] === 'string';
}

/** timeIn is a time of a payload as people read it, as a piece of a line. */
export function timeIn(payload: Payload | undefined, field: string): Piece {
  const at = Date.parse(said(payload, field));
  return Number.isNaN(at) ? shown(payload, field, 30) : code(formatMinute(at));
}

/** numberIn is a number of a payload; null where it has none. */
export function numberIn(payload: Payload | undefined, field: string): number | null {
  const value = payload?.[field];
  return typeof value === 'number' ? value : null;
}

/** listIn is a list of texts of a payload. */
export function listIn(payload: Payload | undefined, field: string): readonly string[] {
  const value = payload?.[field];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

/** last is the newest payload of a section. */
export function last({ entries }: Section): Payload | undefined {
  return entries.at(-1)?.items.at(-1);
}

/** plural counts: `1 image`, `2 images`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** What stands in a command as it is: a name, a digest, an id. */
const PLAIN = /^[A-Za-z0-9][\w:-]{0,127}$/;

/**
 * commandAbout is a command of ours about a value, for people who copy it into a shell; null where a shell or the command could read the
 * value as something else.
 */
export function commandAbout(command: string, value: unknown): string | null {
  return typeof value === 'string' && PLAIN.test(value) ? `${command} ${value}` : null;
}

/** commandOf is a command with an option, which is left out where its value could be read as something else. */
export function commandOf(command: string, option: string, value: unknown): string {
  return commandAbout(`${command} ${option}`, value) ?? command;
}

/** showImage is the command that shows an image, by the beginning of its digest; null where it is none. */
export function showImage(digest: string | null): string | null {
  const [short] = /^sha256:[0-9a-f]{12}/.exec(digest ?? '') ?? [];
  return short === undefined ? null : `ipo images show ${short}`;
}

/** subjectOf is what a section is about, where that is one thing; null where it is several. */
export function subjectOf({ subjects, isMore, entries }: Section): string | null {
  return subjects === 1 && isMore !== true ? (entries[0]?.subject ?? null) : null;
}

/** subjectsOf counts what a section is about: `1 image`, `more than 200 images` where there were too many to tell them apart. */
export function subjectsOf({ subjects, isMore }: Section, one: string, many = `${one}s`): string {
  return isMore === true ? `more than ${plural(subjects, one, many)}` : plural(subjects, one, many);
}

/** imageName is what people call an image: the last part of its name, or the beginning of its digest. */
export function imageName(digest: string, places: Places, max = 60): string {
  const name = places[digest]?.name ?? null;
  if (name === null) return shortDigest(digest);
  return oneLine(name, max) || shortDigest(digest);
}

/** shortName is the last part of it, for a title. */
export function shortName(digest: string, places: Places): string {
  return oneLine(imageName(digest, places, 200).replace(/^.*\//, ''), 40);
}

function shortDigest(digest: string): string {
  return oneLine(digest.replace(/^sha256:/, '').slice(0, 12), 12) || '–';
}

/** whereOf says where an image runs: `, runs in prod/shop/api and 3 more workloads`. */
export function whereOf(digest: string, places: Places): Line {
  const runs = (places[digest]?.workloads.length ?? 0) > 0;
  return line(runs ? ', runs in ' : ', ', ...placeOf(digest, places));
}

/** placeOf is the same without a beginning: `prod/shop/api and 3 more workloads`. */
export function placeOf(digest: string, places: Places): Line {
  const place = places[digest];
  const [first] = place?.workloads ?? [];
  if (place === undefined || first === undefined) return line('not seen running');
  const rest = place.total - 1;
  return line(
    code(pathOf({ ...first }, ['cluster', 'namespace', 'name'])),
    rest > 0 ? ` and ${plural(rest, 'more workload')}` : '',
  );
}

/** pathOf joins fields of a payload to one path, such as `prod/shop/api`, without those that it does not have. */
export function pathOf(payload: Payload | undefined, fields: readonly string[]): string {
  const parts = fields.map((field) => said(payload, field)).filter((part) => part !== '–');
  return oneLine(parts.join('/'), 160) || '–';
}
