import type { Converted } from './imported.ts';

/** AllowList is what patterns of images become as entries of ours, and what that does. */
export interface AllowList extends Pick<Converted, 'narrower' | 'wider'> {
  readonly entries: readonly string[];
  /** A pattern allows every image. */
  readonly any: boolean;
}

const HOST = /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?$|^[a-z0-9-]+:\d+$/i;
const PATH = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;

/** Prefix is what a pattern compares with the beginning of a reference. */
interface Prefix {
  readonly text: string;
  readonly hasHost: boolean;
  /** Below the host; empty for the whole of it. */
  readonly path: string;
  /** It ends at a segment. */
  readonly whole: boolean;
  readonly star: boolean;
}

/** readPrefix reads `host/path/*`, `host/path*` or `host/path/`; null for a pattern that is more exact, or of another form. */
function readPrefix(pattern: string): Prefix | null {
  const match = /^([^*]+?)(\/?)(\*\*?)?(:\*)?$/.exec(pattern);
  if (match === null) return null;
  const [, text = '', slash = '', star, tags] = match;
  if (star === undefined && slash === '' && tags === undefined) return null;
  const [host = '', ...below] = text.split('/');
  const hasHost = HOST.test(host);
  const path = hasHost ? below.join('/') : text;
  if (path !== '' && !PATH.test(path)) return null;
  if (path === '' && slash === '') return null;
  return { text, hasHost, path, whole: slash !== '', star: star !== undefined };
}

/**
 * toAllowList turns patterns that compare the text of a reference into entries that compare whole path segments of its
 * meaning. A pattern ends in `*` or is a prefix. What has no entry is left out, which allows less.
 */
export function toAllowList(patterns: readonly string[]): AllowList {
  const entries: string[] = [];
  const narrower: string[] = [];
  const wider: string[] = [];
  let any = false;
  for (const pattern of patterns.map((one) => one.trim())) {
    if (/^\*+(?::\*)?$/.test(pattern)) {
      any = true;
      continue;
    }
    const prefix = readPrefix(pattern);
    if (prefix === null) {
      narrower.push(
        `"${pattern}" names an image more exactly than an allow-list can, so its images are denied`,
      );
      continue;
    }
    entries.push(prefix.hasHost ? prefix.text : onDockerHub(prefix));
    if (!prefix.hasHost)
      wider.push(
        `"${pattern}" names no host: the same images of Docker Hub are allowed however they are written`,
      );
    else if (prefix.path !== '' && prefix.whole)
      wider.push(`"${pattern}" also allows the repository ${prefix.text} itself`);
    else if (prefix.path !== '') narrower.push(`"${pattern}" is matched on whole path segments`);
  }
  return { entries: [...new Set(entries)], narrower, wider, any };
}

function onDockerHub({ path, whole, star }: Prefix): string {
  return whole || star || path.includes('/') ? `docker.io/${path}` : `docker.io/library/${path}`;
}
