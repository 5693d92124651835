import { parseReference } from './reference.ts';

/**
 * parseRegistryHost reads the host of a registry with an optional port, as references name it: `docker.io`, `registry.example:5000`.
 * Null for anything else.
 */
export function parseRegistryHost(text: string): string | null {
  const place = parseMirror(text);
  return place === null || place.prefix !== '' ? null : place.host;
}

/** parseMirror reads `HOST[:PORT][/PATH]`, such as `mirror.example/proxy/hub`; null for anything else. */
export function parseMirror(text: string): { readonly host: string; readonly prefix: string } | null {
  const bare = text.replace(/\/+$/, '');
  // Behind a path of two parts, so that Docker Hub's short names are not filled in.
  const reference = parseReference(`${bare}/a/b`);
  if (bare === '' || 'fault' in reference || !reference.path.endsWith('a/b')) return null;
  const [first = ''] = bare.split('/', 1);
  const isHost = first.toLowerCase() === reference.host || /^index\.docker\.io$/i.test(first);
  return isHost ? { host: reference.host, prefix: reference.path.slice(0, -'/a/b'.length) } : null;
}
