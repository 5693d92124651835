import { isUtf8 } from 'node:buffer';
import { normaliseRegistry, RegistryError, type Credential, type Repository } from '../../image/index.ts';
import { Secret, JsonKeyError, parseStrictJson } from '../../base/index.ts';

/** DockerConfig is what a docker `config.json` says of credentials. */
export interface DockerConfig {
  /** By the key as it is written, such as `https://index.docker.io/v1/` or `*.example.com/team`; what cannot be used is a fault. */
  readonly auths: ReadonlyMap<string, Credential | { readonly fault: string } | null>;
  /** Programs that keep the credentials, by host; of all hosts that `auths` names without one, under `''`. */
  readonly helpers: ReadonlyMap<string, string>;
}

const MAX_ENTRIES = 1000;
/** Docker writes this name beside a refresh token. */
const TOKEN_USER = '<token>';

type Json = Readonly<Record<string, unknown>>;

/**
 * readDockerConfig reads `config.json` as Docker, Podman and Kubernetes write it; `dockercfg` is the older form, its `auths` alone. One
 * entry that cannot be used is no fault of the others. Throws RegistryError `credentials`; no sentence quotes what the file holds.
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
  if (!isObject(value)) return fail('is no JSON object');
  const listed = form === 'dockercfg' ? value : (value['auths'] ?? {});
  if (!isObject(listed)) return fail('has auths that are no map');
  const entries = Object.entries(listed);
  if (entries.length > MAX_ENTRIES) fail(`has more than ${MAX_ENTRIES} auths`);
  const helpers = new Map<string, string>();
  if (form === 'docker_config') {
    const { credHelpers, credsStore } = value;
    if (typeof credsStore === 'string' && credsStore !== '') helpers.set('', credsStore);
    for (const [host, helper] of isObject(credHelpers) ? Object.entries(credHelpers) : [])
      if (typeof helper === 'string' && helper !== '') helpers.set(host, helper);
  }
  return { auths: new Map(entries.map(([key, entry]) => [key, toCredential(entry)])), helpers };
}

/**
 * credentialsIn gives the credentials of a config for a repository, the most specific first: keys name a host, with `*` for a part of it
 * as Kubernetes has it, and a path before the repository's where they have one. Throws RegistryError `credentials` where the one there is
 * cannot be used.
 */
export function credentialsIn(
  { auths, helpers }: DockerConfig,
  repository: Repository,
  name: string,
): readonly Credential[] {
  const fits = [...auths]
    .map(([key, credential]) => ({ key: toKey(key), credential }))
    .filter(({ key }) => isFor(key, repository))
    .toSorted((a, b) => b.key.path.length - a.key.path.length || stars(a.key.host) - stars(b.key.host));
  const found = fits.flatMap(({ credential }) =>
    credential !== null && 'kind' in credential ? [credential] : [],
  );
  if (found.length > 0) return found;
  const named = [...helpers].find(([host]) => host !== '' && toKey(host).host === repository.host)?.[1];
  // Docker lists a host that it keeps in the store of all hosts, without a credential.
  const helper = named ?? (fits.length > 0 ? helpers.get('') : undefined);
  if (helper !== undefined)
    throw new RegistryError(
      'credentials',
      `${name} keeps the credential for ${repository.host} in docker-credential-${/^[\w.-]{1,64}$/.test(helper) ? helper : '…'}, and no such program is run`,
      {
        hint: 'Name a directory by DOCKER_CONFIG whose config.json has the credential under auths, or an empty one to ask anonymously',
      },
    );
  const [fault] = fits.flatMap(({ credential }) =>
    credential !== null && 'fault' in credential ? [credential.fault] : [],
  );
  if (fault !== undefined)
    throw new RegistryError('credentials', `${name} has a credential for ${repository.host} that ${fault}`);
  return [];
}

/** A credential, null where an entry holds none, or why it cannot be used. */
function toCredential(entry: unknown): Credential | { readonly fault: string } | null {
  if (!isObject(entry)) return { fault: 'is no map' };
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

function toPassword(username: string, password: string): Credential {
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
