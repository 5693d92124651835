import { sha256Hex, type Digest } from '../base/index.ts';
import { FactsError, parseImageFacts, type ImageFacts } from '../facts/index.ts';
import { parseReference } from '../image/index.ts';

type Json = Readonly<Record<string, unknown>>;

/** factsGiven reads facts as an image line of an export has them. The name is that of the image, and a digest is made up where none is written. */
export function factsGiven(
  written: Json | readonly Json[] | undefined,
  image: string | undefined,
  fault: (below: readonly PropertyKey[], message: string) => Error,
): readonly ImageFacts[] {
  if (written === undefined) return [];
  const list: readonly Json[] = isList(written) ? written : [written];
  return list.map((entry, i) => {
    const names = Array.isArray(entry['names'])
      ? (entry['names'] as unknown[])
      : image === undefined
        ? []
        : [image];
    const [name] = names;
    const below = isList(written) ? [i] : [];
    if (typeof name !== 'string')
      throw fault(below, 'these facts name no image: write "names: [IMAGE]", or given.image');
    const reference = parseReference(name);
    const own = 'fault' in reference ? null : reference.digest;
    try {
      // A name without a tag means `latest`, as it does to who runs it.
      const full = 'fault' in reference || reference.tag !== null || own !== null ? [] : [`${name}:latest`];
      return parseImageFacts({ digest: own ?? madeDigest(name), ...entry, names: [...names, ...full] });
    } catch (error) {
      if (!(error instanceof FactsError)) throw error;
      throw fault(below, error.message);
    }
  });
}

function isList(value: Json | readonly Json[]): value is readonly Json[] {
  return Array.isArray(value);
}

/** An image that a test knows only by its name gets a digest, always the same one. */
function madeDigest(name: string): Digest {
  return `sha256:${sha256Hex(`ipo policy test ${name}`)}`;
}
