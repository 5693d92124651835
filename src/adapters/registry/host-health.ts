import type { Log } from '../../base/index.ts';
import { RegistryError } from '../../image/index.ts';
import { FIRST_AWAY_MS, LONGEST_AWAY_MS, MOST_HOSTS_KNOWN, MOST_TOLD_HOSTS } from './limits.ts';

/** HostState is how one registry that does not answer stands. Times are milliseconds from now. */
export interface HostState {
  readonly host: string;
  /** For how long it has not answered. */
  readonly awayMs: number;
  /** Until it is asked again; 0 while that is under way. */
  readonly againMs: number;
  /** Whether it answered this process before: anyone who makes a pod can name hosts that never do. */
  readonly answeredBefore: boolean;
}

/** HostHealthDeps are what the health of hosts is kept with. */
export interface HostHealthDeps {
  readonly monotonic: () => number;
  readonly log: Log | null;
  /** From 0 to 1, for spreading. */
  readonly random?: (() => number) | undefined;
}

interface Known {
  answered: boolean;
  /** How many questions it has answered. */
  answers: number;
  /** Repositories that it had a fault of its own for since its last answer, up to what tells the host's fault from theirs. */
  readonly faulty: Set<string>;
  /** Null while it answers. */
  away: {
    readonly since: number;
    until: number;
    delay: number;
    probing: boolean;
    /** What its certificate is not trusted by; null where it does not answer. */
    readonly untrusted: RegistryError | null;
  } | null;
  /** Called when it goes away. */
  readonly leaving: Set<(error: RegistryError) => void>;
}

/** Pass lets one question through. */
export interface Pass {
  /** Rejects when the host turns out to be away meanwhile. */
  readonly away: Promise<never>;
  /** It answered, whatever it said. */
  answered(): void;
  /** It did not; or, with the repository, it says that it has a fault of its own. */
  failed(repository?: string, error?: RegistryError): void;
  /** To be called in the end, whatever came of it. */
  done(): void;
}

/**
 * HostHealth remembers which hosts do not answer, so that a registry that is down costs one question and not each: it is not asked again
 * for a time that grows with every attempt, and then by only one question while the others are turned away.
 */
export class HostHealth {
  readonly #deps: HostHealthDeps;
  readonly #hosts = new Map<string, Known>();
  /** Hosts of which the log told within the period at hand, and when that began. */
  #told = 0;
  #toldSince = -Infinity;

  constructor(deps: HostHealthDeps) {
    this.#deps = deps;
  }

  /** Whether it answered before, and does. */
  isProven(host: string): boolean {
    const known = this.#hosts.get(host);
    return known?.answered === true && known.away === null;
  }

  /** Whether it did not answer when it was asked last. */
  isAway(host: string): boolean {
    return (this.#hosts.get(host)?.away ?? null) !== null;
  }

  /** Throws RegistryError `unavailable` while a host is not to be asked. */
  enter(host: string): Pass {
    const known = this.#of(host);
    const { away } = known;
    const isProbe = away !== null;
    if (away !== null) {
      const left = away.until - this.#deps.monotonic();
      if (left > 0 || away.probing) throw awayError(host, Math.max(left, 0), away.untrusted);
      away.probing = true;
    }
    const gone = Promise.withResolvers<never>();
    gone.promise.catch(() => undefined); // nobody may wait for it
    const leave = (error: RegistryError): void => gone.reject(error);
    known.leaving.add(leave);
    const before = known.answers;
    let isOver = false;
    return {
      away: gone.promise,
      answered: () => this.#answered(host, known),
      failed: (repository, error) => {
        if (isOver || (!isProbe && isOfQuestion(known, before, repository))) return;
        isOver = true;
        this.#failed(host, known, isProbe, error?.isCertificate === true ? error : null);
      },
      done: () => {
        known.leaving.delete(leave);
        // A probe that came to nothing leaves the door to the next.
        if (isProbe && known.away !== null) known.away.probing = false;
      },
    };
  }

  /** Those that do not answer, the longest first. */
  away(): readonly HostState[] {
    const now = this.#deps.monotonic();
    return [...this.#hosts]
      .flatMap(([host, { away, answered }]) =>
        away === null
          ? []
          : [
              {
                host,
                answeredBefore: answered,
                awayMs: now - away.since,
                againMs: Math.max(0, away.until - now),
              },
            ],
      )
      .toSorted((a, b) => b.awayMs - a.awayMs);
  }

  #of(host: string): Known {
    const known = this.#hosts.get(host) ?? fresh();
    this.#hosts.delete(host);
    this.#hosts.set(host, known); // asked last
    for (const [oldest, { leaving }] of this.#hosts) {
      if (this.#hosts.size <= MOST_HOSTS_KNOWN) break;
      if (leaving.size === 0) this.#hosts.delete(oldest);
    }
    return known;
  }

  #answered(host: string, known: Known): void {
    if (known.away !== null) this.#deps.log?.info('a registry answers again', { host });
    known.answered = true;
    known.answers += 1;
    known.faulty.clear();
    known.away = null;
  }

  #failed(host: string, known: Known, isProbe: boolean, untrusted: RegistryError | null): void {
    const { monotonic, random = Math.random } = this.#deps;
    const now = monotonic();
    const { away } = known;
    // What was asked before it went away says nothing new.
    if (away !== null && !isProbe) return;
    const delay = away === null ? FIRST_AWAY_MS : Math.min(away.delay * 2, LONGEST_AWAY_MS);
    const until = now + delay * (1 - random() / 5);
    known.away = { since: away?.since ?? now, until, delay, probing: false, untrusted };
    if (away === null) this.#tell(host, until - now);
    for (const leave of known.leaving) leave(awayError(host, until - now, untrusted));
    known.leaving.clear();
  }

  /** Once for each host that goes away, and of this many at most: anyone who makes pods chooses the hosts. */
  #tell(host: string, ms: number): void {
    const now = this.#deps.monotonic();
    if (now - this.#toldSince > 600_000) [this.#told, this.#toldSince] = [0, now];
    this.#told += 1;
    if (this.#told > MOST_TOLD_HOSTS + 1) return;
    if (this.#told > MOST_TOLD_HOSTS)
      this.#deps.log?.warn(
        'more registries do not answer than are listed here; see the health of the service',
      );
    else
      this.#deps.log?.warn('a registry does not answer; its images are decided without asking it meanwhile', {
        host,
        asked_again_in_seconds: Math.ceil(ms / 1000),
      });
  }
}

function fresh(): Known {
  return { answered: false, answers: 0, faulty: new Set(), away: null, leaving: new Set() };
}

/**
 * Whether a failure says nothing of the host: it answered another question meanwhile, or has a fault for this one repository only. Who
 * names a broken repository in a pod must not take the images of all others out of sight.
 */
function isOfQuestion(known: Known, before: number, repository: string | undefined): boolean {
  if (known.answers > before) return true;
  if (repository === undefined || !known.answered) return false;
  known.faulty.add(repository);
  return known.faulty.size < 2;
}

/** isAway tells whether a question was not put since its host did not answer before. */
export function isAway(error: unknown): boolean {
  return error instanceof RegistryError && away.has(error);
}

const away = new WeakSet<RegistryError>();

function awayError(host: string, ms: number, untrusted: RegistryError | null): RegistryError {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  const error = new RegistryError(
    'unavailable',
    `${untrusted?.message ?? `${host} does not answer`}; it is asked again in ${seconds} s`,
    {
      retryAfter: seconds,
      ...(untrusted === null ? { remedy: 'reach' } : { certificate: true, hint: untrusted.hint }),
    },
  );
  away.add(error);
  return error;
}
