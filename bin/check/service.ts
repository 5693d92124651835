import type { AdmissionDefaultsBody } from '../../src/api/contract/admission-defaults.ts';
import type { DecidedFromBody, ImageListBody } from '../../src/api/contract/images.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { isDigest, isIpoError, type Digest } from '../../src/base/index.ts';
import { parseImageFacts, type ImageFacts } from '../../src/facts/index.ts';
import { explainScanFailure } from '../../src/findings/index.ts';
import type { TagAnswer } from '../../src/checks/index.ts';
import { parseReference, type ImageReference } from '../../src/image/index.ts';

/** ServiceFacts is what a service has recorded of a digest, and what it decides images without a scan by. */
export interface ServiceFacts {
  readonly facts: ImageFacts;
  readonly coldImagePolicy: 'AllowAndScan' | 'DenyUntilScanned';
  /** Why it could not scan the image, and what to do, as a clause; null where nothing keeps it from it. */
  readonly obstacle: string | null;
}

/** Images that are looked through for one name. */
const MOST_NAMED = 50;
const SEVERAL = { digest: null, outcome: 'several' } as const;

/** factsOfService asks a service what it decides an image from; null where it knows no such image. */
export async function factsOfService(service: ServiceClient, digest: Digest): Promise<ServiceFacts | null> {
  try {
    const { body } = await service.json<DecidedFromBody>('GET /images/{digest}/facts', {
      params: { digest },
    });
    return {
      facts: parseImageFacts(body.image),
      coldImagePolicy: body.cold_image_policy,
      obstacle: obstacleIn(body.scan_failures ?? []),
    };
  } catch (error) {
    if (isIpoError(error) && error.code === 'not_found') return null;
    throw error;
  }
}

function obstacleIn(failures: NonNullable<DecidedFromBody['scan_failures']>): string | null {
  if (failures.length === 0) return null;
  const hints = new Set(failures.map(({ hint }) => hint));
  return `${failures.map(explainScanFailure).join('; ')} (${[...hints].join('; ')})`;
}

/**
 * coldImagePolicyOfService asks a service what it decides images without a scan by. Null where it is of a version that does not tell:
 * then the facts of an image that it knows do.
 */
export async function coldImagePolicyOfService(
  service: ServiceClient,
): Promise<ServiceFacts['coldImagePolicy'] | null> {
  try {
    const { body } = await service.json<AdmissionDefaultsBody>('GET /system/admission');
    return body.cold_image_policy;
  } catch (error) {
    if (isIpoError(error) && error.code === 'not_found') return null;
    throw error;
  }
}

/**
 * tagOfService gives what a tag stands for by a service: the one digest that has its name; `several` if others have it too, or could
 * have it; null if none has it.
 */
export async function tagOfService(
  service: ServiceClient,
  { name, path, tag }: ImageReference,
): Promise<TagAnswer | null> {
  const wanted = `${name}:${tag ?? 'latest'}`;
  const { body } = await service.json<ImageListBody>('GET /images', {
    query: { q: path.split('/').at(-1) ?? path, limit: MOST_NAMED + 1, sort: 'last_seen' },
  });
  // One that is not listed any more could carry it too.
  if (body.total > MOST_NAMED) return SEVERAL;
  const found = body.items.filter((item) => {
    const reference = parseReference(item.name ?? '');
    return !('fault' in reference) && `${reference.name}:${reference.tag ?? 'latest'}` === wanted;
  });
  const [only, ...others] = found;
  if (others.length > 0) return SEVERAL;
  return only !== undefined && isDigest(only.digest) ? { digest: only.digest, from: 'service' } : null;
}
