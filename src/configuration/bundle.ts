import { byCodeUnit, fieldSentence, nearest, printable, type FieldFault } from '../base/index.ts';
import { ConfigurationError } from './configuration-error.ts';
import type { Bundled, Json, KindFaults } from './kind.ts';

/** API_VERSION is that of every document of a bundle. */
export const API_VERSION = 'ipo.dev/v1';

/** CONFIGURATION is the kind of the document that says which kinds a bundle holds whole. */
export const CONFIGURATION = 'Configuration';

/** MAX_BUNDLE_BYTES bounds a bundle; that of a large installation has a few hundred kilobytes. */
export const MAX_BUNDLE_BYTES = 4 * 1024 * 1024;

/** MAX_DOCUMENTS is how many documents a bundle may have. */
export const MAX_DOCUMENTS = 5000;

/** Faults that are told at once. */
const MAX_FAULTS = 100;

/** Bundle is a stream of documents, taken apart by kind. */
export interface Bundle {
  readonly byKind: ReadonlyMap<string, readonly Bundled[]>;
  /** Kinds of which it holds every object; empty without a document that says so. */
  readonly complete: readonly string[];
}

/**
 * readBundle takes documents apart by kind. What stands in their spec is read by their kind. Throws ConfigurationError `invalid_request`
 * with every fault by its path.
 */
export function readBundle(documents: readonly unknown[], kinds: readonly string[]): Bundle {
  const faults: FieldFault[] = [];
  const byKind = new Map<string, Bundled[]>();
  const named = new Map<string, number>();
  let complete: readonly string[] | null = null;
  for (const [at, value] of documents.entries()) {
    const fault = (path: string, message: string) => faults.push({ path: pathOf(at, path), message });
    const wrong = formFault(value);
    if (wrong !== null) {
      fault(wrong.path, wrong.message);
      continue;
    }
    const document = value as Json;
    const { kind, metadata } = document;
    if (kind === CONFIGURATION) {
      if (complete !== null) fault('kind', 'is a second Configuration; a bundle has one');
      complete = readComplete(document, kinds, fault);
      continue;
    }
    if (typeof kind !== 'string' || !kinds.includes(kind)) {
      const meant = typeof kind === 'string' ? nearest(kind, kinds) : null;
      const shown = typeof kind === 'string' ? JSON.stringify(printable(kind, 80)) : 'of the document';
      const asked = meant === null ? '' : `; did you mean "${meant}"?`;
      fault('kind', `kind ${shown} is not one of a configuration${asked}; there are ${kinds.join(', ')}`);
      continue;
    }
    const name = isObject(metadata) ? metadata['name'] : undefined;
    if (typeof name !== 'string' || name === '') {
      fault('metadata.name', 'must be the name of the object');
      continue;
    }
    const key = `${kind}/${name}`;
    const first = named.get(key);
    if (first !== undefined) {
      fault('metadata.name', `${kind} ${printable(name, 80)} stands in documents[${first}] too`);
      continue;
    }
    named.set(key, at);
    byKind.set(kind, [...(byKind.get(kind) ?? []), { at, name, document }]);
  }
  if (faults.length > 0) throw refusal(faults);
  if (named.size === 0) throw nothingInIt();
  return { byKind, complete: complete ?? [] };
}

/**
 * checkForm refuses what is not a configuration at all, before anybody is asked to confirm it. Which kinds there are, and what stands in
 * their specs, only the service knows. Throws ConfigurationError as `readBundle` does.
 */
export function checkForm(documents: readonly unknown[]): void {
  const faults = documents.flatMap((value, at): FieldFault[] => {
    const fault = formFault(value);
    return fault === null ? [] : [{ ...fault, path: pathOf(at, fault.path) }];
  });
  if (faults.length > 0) throw refusal(faults);
  if (documents.length === 0) throw nothingInIt();
}

function formFault(value: unknown): FieldFault | null {
  if (!isObject(value))
    return { path: '', message: 'is not a document: an object with apiVersion, kind, metadata and spec' };
  return value['apiVersion'] === API_VERSION
    ? null
    : { path: 'apiVersion', message: `must be ${API_VERSION}` };
}

function nothingInIt(): ConfigurationError {
  return new ConfigurationError('invalid_request', 'the configuration holds no object', {
    hint: 'Write one with ipo config export',
  });
}

function readComplete(
  { spec, ...rest }: Json,
  kinds: readonly string[],
  fault: (path: string, message: string) => void,
): readonly string[] {
  for (const key of Object.keys(rest))
    if (!['apiVersion', 'kind', 'metadata'].includes(key)) fault(key, 'is an unknown field');
  if (!isObject(spec) || !Array.isArray(spec['complete'])) {
    fault('spec.complete', 'must be the list of kinds that the configuration holds whole');
    return [];
  }
  for (const key of Object.keys(spec))
    if (key !== 'complete') fault(`spec.${key.slice(0, 80)}`, 'is an unknown field');
  return spec['complete'].flatMap((kind: unknown, at) => {
    if (typeof kind === 'string' && kinds.includes(kind)) return [kind];
    fault(`spec.complete[${at}]`, `is not one of the kinds; there are ${kinds.join(', ')}`);
    return [];
  });
}

/** toRefusal puts the faults that kinds found under the places of their documents. */
export function toRefusal({ faults }: KindFaults): ConfigurationError {
  const fields = faults.flatMap(({ at, fields: all }) =>
    all.map(({ path, message }) => ({ path: pathOf(at, path), message })),
  );
  return refusal(fields, faults[0]?.hint);
}

function refusal(fields: readonly FieldFault[], hint?: string): ConfigurationError {
  const more = fields.length - MAX_FAULTS;
  const told = [
    ...fields.slice(0, MAX_FAULTS),
    ...(more > 0 ? [{ path: '', message: `and ${more} more` }] : []),
  ];
  const [first] = told;
  const message = first === undefined ? 'the configuration is not valid' : fieldSentence(first, ' ');
  return new ConfigurationError('invalid_request', message, { fields: told, hint });
}

/** sorted gives a document with its keys in the order of the alphabet, so that two exports differ only in what differs. */
export function sorted(document: Json): Json {
  return inOrder(document) as Json;
}

/** By hand: writing and reading every document as JSON would hold the loop up. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => byCodeUnit(one, other)).map(([key, inner]) => [key, inOrder(inner)]),
  );
}

/** bundledPath is where a field stands in a document of a bundle: the name in the metadata, all others in the spec. */
export function bundledPath(path: string): string {
  if (path === '') return 'spec';
  return path === 'name' ? 'metadata.name' : `spec.${path}`;
}

/**
 * specOf gives the spec of a document that has only a name beside it; `without` are fields that the spec has not, since they stand
 * elsewhere. Throws ConfigurationError.
 */
export function specOf(document: Json, without: readonly string[] = []): Json {
  const { apiVersion: _v, kind: _k, metadata, spec, ...more } = document;
  const unknown = [
    ...Object.keys(more),
    ...Object.keys((metadata ?? {}) as Json).flatMap((key) => (key === 'name' ? [] : [`metadata.${key}`])),
    ...without.flatMap((key) => (isObject(spec) && key in spec ? [`spec.${key}`] : [])),
  ];
  if (unknown.length > 0)
    throw refusal(unknown.map((path) => ({ path: path.slice(0, 80), message: 'is an unknown field' })));
  if (!isObject(spec)) throw refusal([{ path: 'spec', message: 'must be an object' }]);
  return spec;
}

function pathOf(at: number, path: string): string {
  return `documents[${at}]${path === '' || path.startsWith('[') ? '' : '.'}${path}`;
}

function isObject(value: unknown): value is Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
