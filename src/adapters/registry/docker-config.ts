import { isUtf8 } from 'node:buffer';
import { normaliseRegistry, RegistryError, type Credential, type Repository } from '../../image/index.ts';
import { Secret, JsonKeyError, parseStrictJson } from '../../base/index.ts';

/** DockerConfig is what a docker `config.json` says of credentials. */
export interface DockerConfig {
  /** By the key as it is written, such as `https://index.docker.io/v1/` or `*.example.com/team`; what cannot be used is a fault. */
  readonly auths: ReadonlyMap<string, Credential | { readonly fault: string } | null>;
  /** `credHelpers`: programs that keep the credentials of a host; one without a name leaves it to `auths`. */
  readonly helpers: ReadonlyMap<string, string>;
  /** `credsStore`: the program that keeps those of all other hosts; null for none. */
  readonly store: string | null;
}

const MAX_ENTRIES = 1000;
/** Docker writes this name beside a refresh token. */
const TOKEN_USER = '<token>';
/** What docker calls Docker Hub in a config, and to a helper. */
const DOCKER_HUB = 'https://index.docker.io/v1/';

type Json = Readonly<Record<string, unknown>>;

/**
 * readDockerConfig reads `config.json` as Docker, Podman and Kubernetes write it; `dockercfg` is the older form, only its `auths`. One
 * entry that cannot be used is not a fault of the others. Throws RegistryError `credentials`; no sentence quotes what the file holds.
 */
export function readDockerConfig(
  bytes: Uint8Array,
  name: string,
  form: 'docker_config' | 'dockercfg',
): DockerConfig {
  const fail = (why: string): never => {
    throw new RegistryError('credentials', `${name} ${why}`, {
      hint: 'It has to be a docker config.json with auths, as docker login writes it',
    });
  };
  if (!isUtf8(bytes)) fail('is not UTF-8 text');
  let value: unknown;
  try {
    value = parseStrictJson(
      Buffer.from(bytes)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    );
  } catch (error) {
    if (error instanceof JsonKeyError) fail('has a field twice');
    fail('is not JSON'); // the parser's own words quote the text
  }
  if (!isObject(value)) return fail('is not a JSON object');
  const listed = form === 'dockercfg' ? value : (value['auths'] ?? {});
  if (!isObject(listed)) return fail('has auths that are not a map');
  const entries = Object.entries(listed);
  if (entries.length > MAX_ENTRIES) fail(`has more than ${MAX_ENTRIES} auths`);
  const auths = new Map(entries.map(([key, entry]) => [key, toCredential(entry)]));
  if (form === 'dockercfg') return { auths, helpers: new Map(), store: null };
  const { credHelpers, credsStore } = value;
  const named = isObject(credHelpers) ? Object.entries(credHelpers) : [];
  if (named.length > MAX_ENTRIES) fail(`has more than ${MAX_ENTRIES} credHelpers`);
  const helpers = named.flatMap(([host, helper]) =>
    typeof helper === 'string' ? [[host, helper] as const] : [],
  );
  return { auths, helpers: new Map(helpers), store: isText(credsStore) ? credsStore : null };
}

/** namesHelpers tells whether a config leaves credentials to programs. */
export function namesHelpers({ helpers, store }: DockerConfig): boolean {
  return store !== null || [...helpers.values()].some((helper) => helper !== '');
}

/** NamedHelper is the program to which a config leaves the credential of a host. */
export interface NamedHelper {
  /** What follows `docker-credential-`, as it is written. */
  readonly helper: string;
  /** What docker calls the registry. */
  readonly server: string;
}

/** helperFor gives the helper of a host as docker chooses it: that of `credHelpers`, else `credsStore`; null where there is none. */
export function helperFor(
  { helpers, store }: DockerConfig,
  { host }: Pick<Repository, 'host'>,
): NamedHelper | null {
  const server = host === 'docker.io' ? DOCKER_HUB : host;
  const key = helpers.has(server) ? server : [...helpers.keys()].find((one) => toKey(one).host === host);
  // Podman calls Docker Hub docker.io, and asks for it so.
  const own = key !== undefined && host === 'docker.io' ? key : server;
  const helper = key === undefined ? store : helpers.get(key);
  return helper === undefined || helper === null || helper === '' ? null : { helper, server: own };
}

/**
 * credentialsIn gives the credentials that a config itself holds for a repository, the most specific first: keys name a host, with `*` for
 * a part of it as Kubernetes has it, and a path before the repository's where they have one. Throws RegistryError `credentials` where the
 * one there is cannot be used, or is left to a program, which is not run here.
 */
export function credentialsIn(
  config: DockerConfig,
  repository: Repository,
  name: string,
): readonly Credential[] {
  const { found, isListed, fault } = heldIn(config, repository);
  if (found.length > 0) return found;
  // Docker lists a host that it keeps in the store of all hosts, without a credential.
  const left = helperFor(isListed ? config : { ...config, store: null }, repository);
  if (left !== null)
    throw new RegistryError(
      'credentials',
      `${name} leaves the credential for ${repository.host} to docker-credential-${/^[\w.-]{1,64}$/.test(left.helper) ? left.helper : '…'}, and the service runs no such program`,
      {
        hint: `Put the credential itself under auths: docker login ${repository.host} with a config.json that has neither credsStore nor credHelpers`,
        elseAnonymous: true,
      },
    );
  if (fault !== null)
    throw new RegistryError('credentials', `${name} has a credential for ${repository.host} that ${fault}`);
  return [];
}

/** Held is what the `auths` of a config have for a repository. */
export interface Held {
  readonly found: readonly Credential[];
  /** Whether an entry is about it, with a credential or without. */
  readonly isListed: boolean;
  /** Why an entry cannot be used, or null. */
  readonly fault: string | null;
}

/** heldIn looks a repository up only in `auths`. */
export function heldIn({ auths }: DockerConfig, repository: Repository): Held {
  const fits = [...auths]
    .map(([key, credential]) => ({ key: toKey(key), credential }))
    .filter(({ key }) => isFor(key, repository))
    .toSorted((a, b) => b.key.path.length - a.key.path.length || stars(a.key.host) - stars(b.key.host));
  const [fault = null] = fits.flatMap(({ credential }) =>
    credential !== null && 'fault' in credential ? [credential.fault] : [],
  );
  const found = fits.flatMap(({ credential }) =>
    credential !== null && 'kind' in credential ? [credential] : [],
  );
  return { found, isListed: fits.length > 0, fault };
}

/** A credential, null where an entry holds none, or why it cannot be used. */
function toCredential(entry: unknown): Credential | { readonly fault: string } | null {
  if (!isObject(entry)) return { fault: 'is not a map' };
  const { identitytoken, registrytoken, auth, username, password } = entry;
  if (isText(registrytoken)) return { kind: 'access_token', token: new Secret(registrytoken) };
  if (isText(identitytoken)) return { kind: 'identity_token', token: new Secret(identitytoken) };
  if (isText(auth)) {
    if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(auth.trim())) return { fault: 'is not base64' };
    const text = Buffer.from(auth, 'base64').toString('utf8').replace(/\0+$/, '');
    const colon = text.indexOf(':');
    if (colon <= 0) return { fault: 'is not a user and a password' };
    return toPassword(text.slice(0, colon), text.slice(colon + 1));
  }
  return isText(username) && typeof password === 'string' ? toPassword(username, password) : null;
}

/** toPassword makes a credential of what docker keeps under a user's name, which marks a refresh token. */
export function toPassword(username: string, password: string): Credential {
  return username === TOKEN_USER
    ? { kind: 'identity_token', token: new Secret(password) }
    : { kind: 'password', username, password: new Secret(password) };
}

interface Key {
  readonly host: string;
  readonly path: string;
}

/** A key without its scheme and Docker's `/v1/` or `/v2/`, its host as references have it. */
function toKey(written: string): Key {
  const bare = written
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/+$/, '');
  const [host = '', ...path] = normaliseRegistry(bare).split('/');
  const isVersion = path.length === 1 && /^v[12]$/.test(path[0] ?? '');
  return {
    host: host === 'registry-1.docker.io' ? 'docker.io' : host,
    path: isVersion ? '' : path.join('/'),
  };
}

function isFor({ host, path }: Key, repository: Repository): boolean {
  const isUnder = path === '' || repository.path === path || repository.path.startsWith(`${path}/`);
  if (!isUnder || host === '') return false;
  if (host === repository.host) return true;
  if (!host.includes('*')) return false;
  // As Kubernetes: each star stands inside one part between dots; the port has to be the same.
  const [parts, wanted] = [split(host), split(repository.host)];
  return (
    parts.port === wanted.port &&
    parts.names.length === wanted.names.length &&
    parts.names.every((part, i) => isGlob(part, wanted.names[i] ?? ''))
  );
}

function split(host: string): { readonly names: readonly string[]; readonly port: string } {
  const [, name = host, port = ''] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return { names: name.split('.'), port };
}

/** Without a pattern that others wrote in an engine that can be made to work for ever. */
function isGlob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

function stars(host: string): number {
  return host.split('*').length;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
