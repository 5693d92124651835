import type { DigestLookup } from '../../admission/index.ts';
import { isDigest, type Clock, type Log } from '../../base/index.ts';
import { isAbsent, parseReference, RegistryError, type Keychain, type Registry } from '../../image/index.ts';

/** Milliseconds in which a host's fault is told once. */
const QUIET_MS = 600_000;
const MOST_HOSTS = 200;

/** DigestLookupDeps are what tags are looked up with. */
export interface DigestLookupDeps {
  readonly registry: Pick<Registry, 'digestOf'>;
  /** The registry's own where absent. */
  readonly keychain?: Keychain | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * digestLookup asks registries what a reference stands for, for as long as the signal lets it. It gives null, and never throws, when that
 * is not known: the reference parses not, there is no such tag, the registry does not answer. A host that cannot be asked is told in the
 * log, once in ten minutes.
 */
export function digestLookup({ registry, keychain, clock, log }: DigestLookupDeps): DigestLookup {
  const told = new Map<string, number>();
  const tell = (host: string, error: unknown): void => {
    const isExpected = isAbsent(error) || (error instanceof RegistryError && error.fault === 'cancelled');
    const now = clock.now();
    if (isExpected || (told.get(host) ?? -Infinity) > now - QUIET_MS) return;
    if (told.size >= MOST_HOSTS) told.clear();
    told.set(host, now);
    log.warn('a registry cannot be asked what a tag stands for; its images are decided without a digest', {
      host,
      error,
    });
  };
  return {
    async digestOf(text, signal) {
      const reference = parseReference(text);
      if ('fault' in reference || signal.aborted) return null;
      if (reference.digest !== null && isDigest(reference.digest)) return reference.digest;
      try {
        return await registry.digestOf(reference, { signal, keychain });
      } catch (error) {
        tell(reference.host, error);
        return null;
      }
    },
  };
}
