import { isUtf8 } from 'node:buffer';
import { sha256Hex, parseStrictJson } from '../../base/index.ts';
import { RegistryError, type Descriptor, type Manifest, type Platform } from '../../image/index.ts';

const INDEXES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/** MANIFEST is the media type of the manifest of an image or an artifact. */
export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
/** INDEX is the media type of an index, which a list of referrers is too. */
export const INDEX = 'application/vnd.oci.image.index.v1+json';

const IMAGES = [MANIFEST, 'application/vnd.docker.distribution.manifest.v2+json'];

/** ACCEPTED are the media types of manifests that are read. */
export const ACCEPTED = [...INDEXES, ...IMAGES].join(', ');

const DIGEST = /^[a-z0-9]+(?:[+._-][a-z0-9]+)*:[a-zA-Z0-9=_-]{1,256}$/;
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i;

type Json = Readonly<Record<string, unknown>>;

/**
 * readManifest reads a manifest. What can be read as an index and as an image, or is said to be another kind inside than outside, is
 * refused: two readers of it would see two images. Throws RegistryError `unreadable`, or `unsupported` for Docker's first schema and
 * kinds that are not read. `what` names it for people.
 */
export function readManifest(bytes: Uint8Array, contentType: string | undefined, what: string): Manifest {
  const fail = (why: string): never => {
    throw new RegistryError('unreadable', `the manifest of ${what} ${why}`, { remedy: 'look_between' });
  };
  const value = readJson(bytes) ?? fail('is not a JSON object in UTF-8');
  const mediaType = mediaTypeOf(value, contentType, what, fail);
  const isIndex = INDEXES.includes(mediaType);
  const [own, other] = isIndex
    ? [['manifests'], ['config', 'layers']]
    : [['config', 'layers'], ['manifests']];
  if (own.some((key) => value[key] === undefined)) fail('lacks what its kind has');
  if (other.some((key) => value[key] !== undefined)) fail('can be read as an image and as an index');
  const common = {
    digest: `sha256:${sha256Hex(bytes)}`,
    mediaType,
    bytes,
    artifactType: textOf(value['artifactType']),
    subject:
      value['subject'] === undefined || value['subject'] === null
        ? null
        : toDescriptor(value['subject'], fail),
    annotations: toTexts(value['annotations'], fail),
  };
  return isIndex
    ? { ...common, kind: 'index', manifests: toList(value['manifests'], fail) }
    : {
        ...common,
        kind: 'image',
        config: toDescriptor(value['config'], fail),
        layers: toList(value['layers'], fail),
      };
}

/** The kind of a manifest: what it says inside, which the header must not contradict; the header where it says nothing. */
function mediaTypeOf(
  value: Json,
  contentType: string | undefined,
  what: string,
  fail: (why: string) => never,
): string {
  const outside = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const inside = value['mediaType'];
  if (value['schemaVersion'] === 1 || /^application\/vnd\.docker\.distribution\.manifest\.v1\+/.test(outside))
    throw new RegistryError(
      'unsupported',
      `${what} is kept in Docker's first schema, which is no longer read`,
      {
        hint: 'Push the image again with a present tool',
      },
    );
  if (value['schemaVersion'] !== 2) fail('has no schemaVersion 2');
  if (inside !== undefined && typeof inside !== 'string') fail('has a mediaType that is not a string');
  const isKnown = (type: string): boolean => INDEXES.includes(type) || IMAGES.includes(type);
  if (typeof inside === 'string' && isKnown(outside) && inside !== outside)
    fail('is said to be another kind inside than outside');
  const mediaType = typeof inside === 'string' ? inside : outside;
  if (!isKnown(mediaType))
    throw new RegistryError('unsupported', `${what} is of a kind that is not read (${shown(mediaType)})`);
  return mediaType;
}

/** readJson gives the JSON object that bytes hold, or null, also where one of its objects has a key twice. */
export function readJson(bytes: Uint8Array): Json | null {
  if (!isUtf8(bytes)) return null;
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    const value = parseStrictJson(text, { anyName: true });
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** toTexts reads a map of texts, such as annotations and labels; an absent one is empty. */
export function toTexts(value: unknown, fail: (why: string) => never): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) return fail('has annotations or labels that are not a map');
  const entries = Object.entries(value);
  if (entries.some(([, text]) => typeof text !== 'string'))
    return fail('has an annotation or label that is not a string');
  return Object.fromEntries(entries as [string, string][]);
}

/** toPlatform reads a platform as descriptors and configurations have it; null where it names none. */
export function toPlatform(value: unknown): Platform | null {
  if (!isObject(value)) return null;
  // Where none is written, a node reads its own.
  const os = value['os'] === undefined || value['os'] === '' ? 'linux' : textOf(value['os']);
  const architecture = textOf(value['architecture']);
  if (os === null || architecture === null) return null;
  return { os, architecture, variant: textOf(value['variant']), osVersion: textOf(value['os.version']) };
}

function toList(value: unknown, fail: (why: string) => never): readonly Descriptor[] {
  if (value === null) return []; // as Go writes an empty list
  if (!Array.isArray(value)) return fail('has a list that is none');
  return value.map((one) => toDescriptor(one, fail));
}

function toDescriptor(value: unknown, fail: (why: string) => never): Descriptor {
  if (!isObject(value)) return fail('has a descriptor that is none');
  const { mediaType, digest, size } = value;
  if (typeof mediaType !== 'string' || !MEDIA_TYPE.test(mediaType))
    return fail('has a descriptor without a media type');
  if (typeof digest !== 'string' || !DIGEST.test(digest)) return fail('has a descriptor without a digest');
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    return fail('has a descriptor without a size');
  return {
    mediaType,
    digest,
    size,
    artifactType: textOf(value['artifactType']),
    platform: toPlatform(value['platform']),
    annotations: toTexts(value['annotations'], fail),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 256 ? value : null;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(mediaType: string): string {
  if (mediaType === '') return 'no media type';
  return MEDIA_TYPE.test(mediaType) ? mediaType : 'a media type that is none';
}
