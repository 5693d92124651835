import type { ImageItemBody, ImageListBody } from '../../src/api/contract/images.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { IpoError, isDigest, type Digest } from '../../src/base/index.ts';
import { clean } from '../terminal/clean.ts';

/** Images that are named when a text could mean several. */
const SHOWN = 5;

/**
 * findImage settles which image a text means: a whole digest as it is; else the one image of which a name is the text, or of
 * which a name or the digest holds it. Throws IpoError `not_found` for none, `usage` for several.
 */
export async function findImage(service: ServiceClient, text: string): Promise<Digest> {
  const shownText = clean(text);
  if (isDigest(text)) return text;
  const { body } = await service.json<ImageListBody>('GET /images', {
    query: { q: text, limit: SHOWN + 1, sort: 'last_seen' },
  });
  const exact = body.items.filter(({ name }) => name === text || name?.endsWith('/' + text) === true);
  const [only, ...others] = exact.length === 1 ? exact : body.items;
  if (only === undefined) {
    throw new IpoError('not_found', `no known image matches ${shownText}`, {
      hint: '`ipo images list` lists all images',
    });
  }
  if (others.length === 0) return only.digest;
  const found = [only, ...others].slice(0, SHOWN);
  throw new IpoError(
    'usage',
    `${shownText} matches ${body.total} images: ${found.map(shown).join(', ')}${body.total > SHOWN ? ' …' : ''}`,
    {
      hint: 'Give more of the name, or the digest',
    },
  );
}

function shown({ name, digest }: ImageItemBody): string {
  return `${name === null ? '' : `${clean(name, 80)} `}${digest.slice(0, 19)}`;
}
