import type { Clock, Log } from '../base/index.ts';
import {
  holdsCertificates,
  readSecretData,
  readServingPair,
  toSecretData,
  type Held,
  type Kept,
} from './kept.ts';
import {
  CERTIFICATE_TIMES,
  planCertificates,
  servingLife,
  type CertificateStep,
  type CertificateTimes,
} from './plan.ts';
import type { BundleStore, CertificateMaker, KeptSecret, SecretStore } from './ports.ts';

/** CertificatesDeps are what the certificates of the webhook are kept with. */
export interface CertificatesDeps {
  readonly secret: SecretStore;
  readonly bundles: BundleStore;
  readonly maker: CertificateMaker;
  /** Names by which the API server calls. */
  readonly names: readonly string[];
  /** Whether this replica leads; asked before every write. */
  isLeader(): boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly times?: CertificateTimes;
}

/** More steps than a run ever has: a Secret that another writer changes all the time must not keep it for ever. */
const MOST_STEPS = 16;

/**
 * OwnCertificates keeps an authority of its own and a serving certificate by it in a Secret, and the `caBundle` of the webhooks in
 * step: the leader's job. It reads, plans one step, writes it under the version that was read, and reads again.
 */
export class OwnCertificates {
  readonly #deps: CertificatesDeps;
  readonly #times: CertificateTimes;

  constructor(deps: CertificatesDeps) {
    this.#deps = deps;
    this.#times = deps.times ?? CERTIFICATE_TIMES;
  }

  /** Does what is to be done now. Throws what the ports throw; the next run goes on from there. */
  async run(signal?: AbortSignal): Promise<void> {
    const { secret, bundles, names, clock, log } = this.#deps;
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      if (signal?.aborted === true) return;
      const stored = await secret.read();
      const kept = stored === null ? null : readSecretData(stored.data);
      const live = await bundles.read();
      const at = clock.now();
      const step = planCertificates(kept, live, names, at, this.#times);
      if (step.kind === 'none' || !this.#deps.isLeader()) return;
      if (stored !== null && kept === null && holdsCertificates(stored.data)) {
        log.error('the Secret of the webhook’s certificates holds something else; it is recreated');
      }
      await this.#take(step, stored, kept, at);
    }
  }

  async #take(
    step: CertificateStep,
    stored: KeptSecret | null,
    kept: Kept | null,
    at: number,
  ): Promise<void> {
    const { secret, bundles, log, isLeader } = this.#deps;
    if (step.kind === 'publish') {
      if (isLeader() && (await bundles.publish(step.bundle))) {
        log.info('the API server was told whom to trust', {
          authorities: step.bundle.split('BEGIN').length - 1,
        });
      }
      return;
    }
    const after = await this.#after(step, kept, at);
    if (after === null || !isLeader()) return;
    // What else is in the Secret is another's, such as the path of the webhook.
    const data = { ...stored?.data, ...toSecretData(after) };
    const isDone = stored === null ? await secret.create(data) : await secret.replace(data, stored.version);
    if (isDone) log.info('certificates of the webhook', { step: step.kind });
  }

  async #after(step: CertificateStep, kept: Kept | null, at: number): Promise<Kept | null> {
    if (step.kind === 'begin') {
      const next = { ...(await this.#authority(at)), announcedAt: null };
      return { signing: null, next, previous: step.previous, serving: null };
    }
    if (kept === null) return null;
    const { signing, next, previous } = kept;
    switch (step.kind) {
      case 'introduce':
        return { ...kept, next: { ...(await this.#authority(at)), announcedAt: null } };
      case 'announced':
        return next === null ? null : { ...kept, next: { ...next, announcedAt: at } };
      case 'renew':
        return signing === null ? null : { ...kept, serving: await this.#serving(signing, at) };
      case 'retire':
        return { ...kept, previous: step.previous };
      case 'switch': {
        if (next === null) return null;
        const { announcedAt: _, ...authority } = next;
        const gone = signing === null ? [] : [toPrevious(signing, at + this.#times.overlap)];
        return {
          signing: authority,
          next: null,
          previous: [...gone, ...previous],
          serving: await this.#serving(authority, at),
        };
      }
      default:
        return null;
    }
  }

  async #authority(at: number): Promise<Held & { key: string }> {
    const { cert, key } = await this.#deps.maker.makeAuthority({ from: at, to: at + this.#times.authority });
    return readServingPair(cert, key);
  }

  async #serving(authority: Held & { key: string }, at: number): Promise<Kept['serving']> {
    const { maker, names } = this.#deps;
    const { cert, key } = await maker.makeServing(authority, names, servingLife(authority, at, this.#times));
    return readServingPair(cert, key);
  }
}

function toPrevious({ cert, from, to }: Held, until: number): Kept['previous'][number] {
  return { cert, from, to, until };
}

/** secretSource gives the serving certificate that the leader keeps; a Secret that was lost or spoilt throws or gives null. */
export function secretSource(secret: Pick<SecretStore, 'read'>): { read(): Promise<Kept['serving']> } {
  return {
    async read() {
      const data = (await secret.read())?.data ?? {};
      const { 'tls.crt': cert = '', 'tls.key': key = '' } = data;
      return cert === '' ? null : readServingPair(cert, key);
    },
  };
}
