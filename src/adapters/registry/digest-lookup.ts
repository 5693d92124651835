import type { DigestLookup, TagAnswer } from '../../admission/index.ts';
import { isDigest, type Clock, type Log } from '../../base/index.ts';
import {
  isAbsent,
  parseReference,
  RegistryError,
  type ImageReference,
  type Keychain,
  type Registry,
  type RegistryFault,
} from '../../image/index.ts';
import { isAway } from './host-health.ts';
import { LINGER_MS, MOST_LOOKUPS, PROBE_WAIT_MS } from './limits.ts';

/** Milliseconds in which a host's fault is told once. */
const QUIET_MS = 600_000;
const MOST_HOSTS = 200;

/** DigestLookupDeps are what tags are looked up with. */
export interface DigestLookupDeps {
  readonly registry: Pick<Registry, 'digestOf'> & {
    /** Whether a host did not answer when it was asked last. */
    isAway?(host: string): boolean;
  };
  /** The registry's own where absent. */
  readonly keychain?: Keychain | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** By what a registry failed, in words that hold nothing of its answer: the host may be one that its asker cannot see. */
const WHY: Readonly<Partial<Record<RegistryFault, string>>> = {
  absent: 'has no such tag',
  denied: 'does not give access to it',
  credentials: 'could not be asked: its credentials cannot be read',
  rate_limited: 'asked to slow down',
  refused: 'may not be called',
  unavailable: 'does not answer',
  cancelled: 'did not answer in time',
};

/**
 * digestLookup asks registries what a reference stands for, for as long as the signal lets it. It never throws: what is not known comes
 * with the reason. An answer that comes too late for one review is there for the next. A host that cannot be asked is told in the log,
 * once in ten minutes.
 */
export function digestLookup(deps: DigestLookupDeps): DigestLookup {
  const { registry, keychain, clock, log } = deps;
  const told = new Map<string, number>();
  let underWay = 0;
  const tell = (host: string, error: unknown): void => {
    // Hosts that do not answer are told of by who keeps their health.
    const isExpected =
      isAbsent(error) ||
      (error instanceof RegistryError && (error.fault === 'cancelled' || error.fault === 'unavailable'));
    const now = clock.now();
    if (isExpected || (told.get(host) ?? -Infinity) > now - QUIET_MS) return;
    if (told.size >= MOST_HOSTS) told.clear();
    told.set(host, now);
    log.warn('a registry cannot be asked for the digests of tags; its images are decided without a digest', {
      host,
      error,
    });
  };
  const ask = async (reference: ImageReference): Promise<TagAnswer> => {
    const { host } = reference;
    underWay += 1;
    try {
      const digest = await registry.digestOf(reference, { signal: AbortSignal.timeout(LINGER_MS), keychain });
      return { digest };
    } catch (error) {
      tell(host, error);
      if (!(error instanceof RegistryError)) return unknown(host, null);
      if (isAway(error)) return { digest: null, why: error.message };
      return unknown(host, error.fault);
    } finally {
      underWay -= 1;
    }
  };
  return {
    async digestOf(text, signal) {
      const reference = parseReference(text);
      if ('fault' in reference) return { digest: null, why: reference.fault };
      if (reference.digest !== null && isDigest(reference.digest)) return { digest: reference.digest };
      const { host } = reference;
      if (signal.aborted) return unknown(host, 'cancelled');
      if (underWay >= MOST_LOOKUPS) return { digest: null, why: 'too many registries are being asked' };
      // Whether a registry is back is found out beside the reviews, not at their cost.
      const patience = registry.isAway?.(host) === true ? AbortSignal.timeout(PROBE_WAIT_MS) : null;
      const until = patience === null ? signal : AbortSignal.any([signal, patience]);
      return await Promise.race([ask(reference), passed(until, unknown(host, 'cancelled'))]);
    },
  };
}

function unknown(host: string, fault: RegistryFault | null): TagAnswer {
  const why = fault === null ? undefined : WHY[fault];
  return { digest: null, why: `${host} ${why ?? 'gave an answer that cannot be used'}` };
}

function passed<T>(signal: AbortSignal, value: T): Promise<T> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(value), { once: true });
  });
}
