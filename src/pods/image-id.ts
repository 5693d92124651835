import { isDigest, type Digest } from '../base/index.ts';

/**
 * digestOfImageId reads the digest out of an `imageID`: `docker.io/library/nginx@sha256:…`, with Docker's `docker-pullable://` before it. A
 * bare `sha256:…` is the id of an image that was never pulled (its configuration), which no registry knows, and none here.
 */
export function digestOfImageId(imageId: string): Digest | null {
  const at = imageId.lastIndexOf('@');
  const digest = at < 0 ? '' : imageId.slice(at + 1);
  return isDigest(digest) ? digest : null;
}
