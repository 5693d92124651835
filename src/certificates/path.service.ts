import type { Clock, Log } from '../base/index.ts';
import { planPath, readPathData, takenOf, toPathData, type PathTimes } from './path.ts';
import type { SecretStore } from './ports.ts';

/** PathStore writes by which path the API server calls the webhooks of one ValidatingWebhookConfiguration. */
export interface PathStore {
  /** The paths as they stand, one for each webhook, empty where there is none; null without a configuration. */
  read(): Promise<readonly string[] | null>;
  /** Writes the path into every webhook; false where there is no configuration. */
  publish(path: string): Promise<boolean>;
}

/** PathDeps are what the path of the webhook is kept with. */
export interface PathDeps {
  readonly secret: SecretStore;
  readonly paths: PathStore;
  /** What comes before the secret end. */
  readonly base: string;
  /** Fingerprint of the serving certificate; null while it is not known. */
  certificate(): string | null;
  /** Whether this replica leads; asked before every write. */
  isLeader(): boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly times?: PathTimes;
  /** Makes the end of a path; random unless given. */
  readonly make?: () => string;
}

/** More steps than a run ever has. */
const MOST_STEPS = 8;

/**
 * WebhookPath keeps the secret end of the path by which the API server calls, and changes it with the certificate: the leader's job.
 * Nothing of it is ever logged.
 */
export class WebhookPath {
  readonly #deps: PathDeps;

  constructor(deps: PathDeps) {
    this.#deps = deps;
  }

  /** Does what is to be done now. Throws what the ports throw; the next run goes on from there. */
  async run(signal?: AbortSignal): Promise<void> {
    const { secret, paths, base, certificate, isLeader, clock, log, times, make } = this.#deps;
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      if (signal?.aborted === true) return;
      const stored = await secret.read();
      const live = await paths.read();
      const ends =
        live?.map((path) => (path.startsWith(`${base}/`) ? path.slice(base.length + 1) : '')) ?? null;
      const kept = stored === null ? null : readPathData(stored.data);
      const step = planPath(kept, ends, certificate(), clock.now(), make, times);
      if (step.kind === 'none' || !isLeader()) return;
      if (step.kind === 'publish') {
        if (!(await paths.publish(`${base}/${step.token}`))) return;
        log.info('the API server was told by which path to call the webhook');
        continue;
      }
      const data = { ...stored?.data, ...toPathData(step.paths, base) };
      await (stored === null ? secret.create(data) : secret.replace(data, stored.version));
    }
  }
}

/** pathSource gives the ends of paths that a replica takes now; null while nothing is kept. */
export function pathSource(
  secret: Pick<SecretStore, 'read'>,
  clock: Clock,
): { read(): Promise<readonly string[] | null> } {
  return {
    async read() {
      const kept = readPathData((await secret.read())?.data ?? {});
      return kept === null ? null : takenOf(kept, clock.now());
    },
  };
}
