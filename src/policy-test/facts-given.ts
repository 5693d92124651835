import { nearest, sha256Hex, type Digest } from '../base/index.ts';
import { FactsError, parseImageFacts, toImageFactsDocument, type ImageFacts } from '../facts/index.ts';
import { parseReference } from '../image/index.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * factsGiven reads facts as an image line of an export has them. The name is that of the image, and a digest is made up where none is
 * written. A field that is none of them is a fault: a case would pass for another reason than its author has in mind.
 */
export function factsGiven(
  written: Json | readonly Json[] | undefined,
  image: string | undefined,
  fault: (below: readonly PropertyKey[], message: string, hint?: string) => Error,
): readonly ImageFacts[] {
  if (written === undefined) return [];
  const list: readonly Json[] = isList(written) ? written : [written];
  return list.map((entry, i) => {
    const standard = image === undefined ? [] : [image];
    const names = Array.isArray(entry['names']) ? (entry['names'] as unknown[]) : standard;
    const [name] = names;
    const below = isList(written) ? [i] : [];
    if (typeof name !== 'string')
      throw fault(below, 'these facts name no image: write "names: [IMAGE]", or given.image');
    const reference = parseReference(name);
    const own = 'fault' in reference ? null : reference.digest;
    // A name without a tag means `latest`, as it does to who runs it.
    const full = 'fault' in reference || reference.tag !== null || own !== null ? [] : [`${name}:latest`];
    const facts = read({ digest: own ?? madeDigest(name), ...entry, names: [...names, ...full] }, (message) =>
      fault(below, message),
    );
    const unknown = unknownField(entry, { type: 'image', ...toImageFactsDocument(facts) }, []);
    if (unknown === null) return facts;
    const close = nearest(String(unknown.path.at(-1)), unknown.known);
    throw fault(
      [...below, ...unknown.path],
      `unknown field "facts.${unknown.path.join('.')}"`,
      close === null ? `Its fields are ${unknown.known.join(', ')}` : `Did you mean "${close}"?`,
    );
  });
}

function read(document: object, fault: (message: string) => Error): ImageFacts {
  try {
    return parseImageFacts(document);
  } catch (error) {
    if (!(error instanceof FactsError)) throw error;
    throw fault(error.message);
  }
}

interface UnknownField {
  readonly path: readonly PropertyKey[];
  /** The fields that stand beside it. */
  readonly known: readonly string[];
}

/** The first field that is written with a value and was not read, by what the facts are as a document. */
function unknownField(written: unknown, known: unknown, path: readonly PropertyKey[]): UnknownField | null {
  if (Array.isArray(written) && Array.isArray(known)) {
    for (const [i, one] of written.entries()) {
      const found = unknownField(one, (known as unknown[])[i], [...path, i]);
      if (found !== null) return found;
    }
    return null;
  }
  if (!isObject(written) || !isObject(known)) return null;
  for (const [key, value] of Object.entries(written)) {
    if (value === null) continue;
    if (known[key] === undefined) return { path: [...path, key], known: Object.keys(known) };
    const found = unknownField(value, known[key], [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

function isObject(value: unknown): value is Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isList(value: Json | readonly Json[]): value is readonly Json[] {
  return Array.isArray(value);
}

/** An image that a test knows only by its name gets a digest, always the same one. */
function madeDigest(name: string): Digest {
  return `sha256:${sha256Hex(`ipo policy test ${name}`)}`;
}
