/** ImageReference is a reference as written, taken apart and normalised. */
export interface ImageReference {
  /** As written. */
  readonly text: string;
  /** Registry host with its port; `docker.io` where none is written. */
  readonly host: string;
  /** Repository path without the host: `library/nginx`, `team/app`. */
  readonly path: string;
  /** `host/path`: what an allow-list entry is compared with. */
  readonly name: string;
  /** The tag as written, or null. No default is filled in. */
  readonly tag: string | null;
  /** The digest as written, of any algorithm that OCI registers; or null. */
  readonly digest: string | null;
}

/** ReferenceFault says why a text is not an image reference, as a clause that follows the quoted text. */
export interface ReferenceFault {
  readonly fault: string;
}

const MAX_PATH = 255;
const HOST =
  /^(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
const DIGEST = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
/** The id of an image. With its algorithm its beginning is one too: containerd and Docker look it up among the images they hold. */
const IMAGE_ID = /^(?:[a-f0-9]{64}|sha(?:256|384|512):[a-f0-9]+)$/;

/**
 * parseReference reads `[host[:port]/]path[:tag][@digest]` by the grammar of distribution/reference. Docker's
 * familiar names are normalised: `nginx` is `docker.io/library/nginx`, `index.docker.io` is `docker.io`. The
 * first segment is a host when it holds a dot or a colon, is `localhost`, or has a capital letter. A text of
 * 64 hex digits, or a digest or its beginning (`sha256:3f8a`), and nothing else is refused, since a runtime takes it as the id of an
 * image it holds. Fewer hex digits by themselves are a name: the kubelet adds `:latest` to them, and no id reads so.
 */
export function parseReference(text: string): ImageReference | ReferenceFault {
  if (text === '') return { fault: 'is empty' };
  if (text.length > 1024) return { fault: 'is longer than 1024 characters' };
  if (IMAGE_ID.test(text))
    return { fault: 'is an image id or the beginning of one, which names no repository' };
  let rest = text;
  let digest: string | null = null;
  const at = rest.indexOf('@');
  if (at !== -1) {
    const written = rest.slice(at + 1);
    if (!DIGEST.test(written))
      return { fault: 'has a digest that is not sha256, sha384 or sha512 in lowercase hex' };
    digest = written;
    rest = rest.slice(0, at);
  }
  let tag: string | null = null;
  const colon = rest.lastIndexOf(':');
  if (colon > rest.lastIndexOf('/')) {
    tag = rest.slice(colon + 1);
    if (!TAG.test(tag))
      return { fault: 'has a tag that is empty or uses other characters than A-Z a-z 0-9 _ . -' };
    rest = rest.slice(0, colon);
  }
  const repository = parseRepository(rest);
  if ('fault' in repository) return repository;
  const { host, path } = repository;
  return { text, host, path, name: `${host}/${path}`, tag, digest };
}

/** Reads `[host[:port]/]path`, the names of Docker Hub made whole. */
function parseRepository(rest: string): Pick<ImageReference, 'host' | 'path'> | ReferenceFault {
  const slash = rest.indexOf('/');
  const first = slash === -1 ? '' : rest.slice(0, slash);
  const hasHost =
    slash !== -1 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  let host = hasHost ? first : 'docker.io';
  let path = hasHost ? rest.slice(slash + 1) : rest;
  if (hasHost && !HOST.test(host))
    return { fault: 'has a registry host that is not a host name with an optional port' };
  host = host.toLowerCase(); // host names do not differ by case, so an allow-list must not either
  if (host === 'index.docker.io') host = 'docker.io';
  if (host === 'docker.io' && !path.includes('/')) path = `library/${path}`;
  if (path === '' || path.endsWith('/')) return { fault: 'has no repository name' };
  for (const component of path.split('/')) {
    if (!COMPONENT.test(component)) {
      return { fault: 'has a repository name that is not lowercase letters, digits and single separators' };
    }
  }
  if (path.length > MAX_PATH) return { fault: `has a repository name longer than ${MAX_PATH} characters` };
  return { host, path };
}

/**
 * isUnder tells whether a normalised name (`host/path`) stands under an allow-list entry (`host[/path]`), on
 * whole path segments: `ghcr.io/acme` covers `ghcr.io/acme/web`, not `ghcr.io/acme-evil/web`.
 */
export function isUnder(name: string, entry: string): boolean {
  return name.startsWith(entry) && (name.length === entry.length || name.charCodeAt(entry.length) === 47);
}

/** normaliseRegistry gives an allow-list entry as references are read: host in lowercase, Docker Hub by one name. */
export function normaliseRegistry(entry: string): string {
  const [host = '', ...path] = entry.split('/');
  const lower = host.toLowerCase();
  return [lower === 'index.docker.io' ? 'docker.io' : lower, ...path].join('/');
}
