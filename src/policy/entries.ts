import { canonicalJson } from '../base/index.ts';
import { isUnder, normaliseRegistry } from '../image/index.ts';
import { keyId } from './public-key.ts';
import { SIGNALS } from './signals.ts';

/** registryCovers tells whether everything under the other normalised entry stands under the first. */
export function registryCovers(entry: string, other: string): boolean {
  return isUnder(other, entry);
}

/**
 * entriesOf gives the entries of a list field by what they mean: no order, none twice, keys by their material and
 * not by how the PEM is wrapped, registries as they are matched. The empty list of signals stands for all six.
 */
export function entriesOf(path: string, list: readonly unknown[]): ReadonlyMap<string, unknown> {
  const meant = path === 'spec.deploymentContext.signals' && list.length === 0 ? SIGNALS : list;
  return new Map(meant.map((entry) => [entryKey(path, entry), entry]));
}

/** entryKey is equal for two entries of a list field that mean the same. */
function entryKey(path: string, entry: unknown): string {
  if (typeof entry === 'string') {
    if (path === 'spec.allowedRegistries') return normaliseRegistry(entry);
    return path.endsWith('.keys') ? keyId(entry) : entry;
  }
  return canonicalJson(withKeyIds(entry));
}

/** Inside an entry the same holds for its own keys and signers. */
function withKeyIds(entry: unknown): unknown {
  if (entry === null || typeof entry !== 'object') return entry;
  const { key, keys, identities, ...rest } = entry as { key?: unknown; keys?: unknown; identities?: unknown };
  return {
    ...rest,
    ...(typeof key === 'string' && { key: keyId(key) }),
    ...(Array.isArray(keys) && { keys: keys.map(String).map(keyId).toSorted() }),
    ...(Array.isArray(identities) && { identities: identities.map(canonicalJson).toSorted() }),
  };
}
