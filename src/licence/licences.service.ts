import type { AuditLog } from '../accounts/index.ts';
import { IpoError, isIpoError, randomLetters, type Clock, type Log } from '../base/index.ts';
import type { NoteKey } from '../ledger/index.ts';
import { openCertificate, readUnverified, type Certificate, type CertificateBody } from './certificate.ts';
import { LicenceError } from './error.ts';
import { refusalsOf } from './judge.ts';
import type { LicenceService, LicenceStore, StoredLicence } from './ports.ts';
import type { ActivationRequest } from './request.ts';
import { isCheckDue, nextCheckAt, warningOf } from './schedule.ts';

/** LicencesDeps are what the licence of a cluster is kept with. */
export interface LicencesDeps {
  /** Name of the cluster, as rows of the ledger carry it. */
  readonly cluster: string;
  /** UID of the namespace kube-system; without a cluster, the id of its installation. */
  readonly clusterId: () => Promise<string>;
  readonly installationId: string;
  readonly store: LicenceStore;
  readonly keys: readonly NoteKey[];
  /** Id of the licence key that is set up; null for none. */
  readonly keyId: string | null;
  /** Null where no licence service is set up. */
  readonly service: LicenceService | null;
  readonly audit: AuditLog;
  readonly together: <T>(act: () => Promise<T>) => Promise<T>;
  /** Tells the channels once that the certificate ends. */
  readonly warn: (warning: LicenceWarning) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** LicenceWarning is one warning before a certificate ends. */
export interface LicenceWarning {
  readonly certificateId: string;
  /** The step of the warning: 30, 7 or 1 days. */
  readonly step: number;
  readonly daysLeft: number;
  readonly notAfter: number;
}

/** LicenceState: `none`: there are no ceilings; `expired`: it ran out, and its ceilings stay; `unverified`: none of the keys signed it. */
export type LicenceState = 'none' | 'active' | 'expired' | 'unverified';

/** LicenceView is how the licence of a cluster stands. */
export interface LicenceView {
  readonly cluster: string;
  readonly clusterId: string;
  readonly installationId: string;
  readonly keyId: string | null;
  readonly requestId: string | null;
  readonly state: LicenceState;
  readonly body: CertificateBody | null;
  readonly signedBy: string | null;
  readonly stored: StoredLicence | null;
  /** When the licence service is asked next; null where none is set up. */
  readonly nextCheckAt: number | null;
  readonly online: boolean;
  readonly clusters: number;
  /** Sentences for people. */
  readonly warnings: readonly string[];
}

/** Who acts, for the audit log; null for the service itself. */
export type Actor = { readonly accountId: string; readonly name: string } | null;

const DAY = 86_400_000;

/** Licences keeps the licence of one cluster: requests, activation by hand or by the licence service, and the warnings before its end. */
export class Licences {
  readonly #deps: LicencesDeps;

  constructor(deps: LicencesDeps) {
    this.#deps = deps;
  }

  /** The time, which nobody sets back behind what the ledger has signed. */
  async #now(): Promise<number> {
    const { store, clock } = this.#deps;
    return Math.max(clock.now(), (await store.newestCheckpointAt()) ?? 0);
  }

  async view(): Promise<LicenceView> {
    const { cluster, store, keyId, service, installationId } = this.#deps;
    const [clusterId, stored, at, clusters] = await Promise.all([
      this.#deps.clusterId(),
      store.read(cluster),
      this.#now(),
      store.clusters(),
    ]);
    const text = stored?.certificate ?? null;
    const opened = text === null ? null : this.#open(text);
    const expired = stored?.expiresAt !== undefined && stored.expiresAt !== null && stored.expiresAt <= at;
    const state = stateOf(text !== null, opened !== null, expired);
    const next = service === null ? null : nextCheckAt(clusterId, stored?.checkedAt ?? null, at);
    return {
      cluster,
      clusterId,
      installationId,
      keyId,
      state,
      stored,
      clusters,
      requestId: stored?.requestId ?? null,
      body: opened?.body ?? (text === null ? null : readUnverified(text)),
      signedBy: opened?.signedBy ?? null,
      nextCheckAt: next,
      online: service !== null,
      warnings: warningsOf(state, stored, at, clusters),
    };
  }

  /** Makes an activation request; a certificate that answers an earlier one is refused from then on. */
  async request(by: Actor, path: string): Promise<ActivationRequest> {
    const { cluster, store, audit, together } = this.#deps;
    const request = await this.#newRequest();
    const { cluster_id, request_id } = request;
    await together(async () => {
      await store.request(cluster, cluster_id, request_id);
      await audit.record(entry(by, 'licence_request', cluster, path, { request_id }));
    });
    return request;
  }

  async #newRequest(): Promise<ActivationRequest> {
    const { cluster, installationId: installation_id } = this.#deps;
    const cluster_id = await this.#deps.clusterId();
    return {
      format: 'ipo-licence-request-1',
      request_id: randomLetters(20),
      cluster_id,
      installation_id,
      cluster,
    };
  }

  /** Activates a certificate. Throws LicenceError with the first reason for which it is refused; nothing is changed then. */
  async activate(text: string, by: Actor, path: string): Promise<LicenceView> {
    const { cluster, store } = this.#deps;
    return this.#activate(text, (await store.read(cluster))?.requestId ?? null, by, path);
  }

  async #activate(text: string, requestId: string | null, by: Actor, path: string): Promise<LicenceView> {
    const { cluster, store, keys, keyId, audit, together } = this.#deps;
    const certificate = openCertificate(text, keys);
    const clusterId = await this.#deps.clusterId();
    const at = await this.#now();
    const [refusal] = refusalsOf(certificate, { clusterId, keyId, requestId, at });
    if (refusal !== undefined) throw refusal;
    await together(async () => {
      await store.activate(cluster, { ...toActive(certificate), clusterId, at });
      const { id, customer } = certificate.body;
      await audit.record(entry(by, 'licence_activate', cluster, path, { id, customer }));
    });
    return this.view();
  }

  /** Takes the certificate out, and its ceilings with it. Throws IpoError `not_found` where none is active. */
  async deactivate(by: Actor, path: string): Promise<void> {
    const { cluster, store, audit, together } = this.#deps;
    await together(async () => {
      if (!(await store.deactivate(cluster)))
        throw new IpoError('not_found', 'no licence certificate is active');
      await audit.record(entry(by, 'licence_deactivate', cluster, path, {}));
    });
  }

  /** Asks the licence service now. Throws IpoError `conflict` where none is set up, and what it answers. */
  async checkNow(by: Actor, path: string, signal: AbortSignal): Promise<LicenceView> {
    const { cluster, store, service, clock } = this.#deps;
    if (service === null)
      throw new IpoError('conflict', 'no licence service is set up', {
        hint: 'Set licence.url and licence.key, or activate a certificate: ipo licence activate FILE',
      });
    const last = (await store.read(cluster))?.checkedAt ?? null;
    await store.takeCheck(cluster, await this.#deps.clusterId(), last, clock.now());
    return this.#ask(service, by, path, signal);
  }

  /** The job: the check of the day where it is due and no other replica made it, and the warnings. The leader of the cluster runs it. */
  async run(signal: AbortSignal): Promise<void> {
    const { cluster, store, service, clock, log } = this.#deps;
    const clusterId = await this.#deps.clusterId();
    if (service !== null) {
      const last = (await store.read(cluster))?.checkedAt ?? null;
      const at = clock.now();
      if (isCheckDue(clusterId, last, at) && (await store.takeCheck(cluster, clusterId, last, at)))
        await this.#ask(service, null, 'job:licence', signal).catch((error: unknown) =>
          log.warn('the licence service gave no certificate; the one before stands', { error }),
        );
    }
    await this.#warn();
  }

  async #ask(service: LicenceService, by: Actor, path: string, signal: AbortSignal): Promise<LicenceView> {
    const { cluster, store } = this.#deps;
    try {
      // Only of this call: a file that a person has sent somewhere stays good.
      const request = await this.#newRequest();
      const text = await service.certificateFor(request, signal);
      const view = await this.#activate(text, request.request_id, by, path);
      await store.checkEnded(cluster, null);
      return view;
    } catch (error) {
      await store.checkEnded(cluster, isIpoError(error) ? error.message : 'the check failed');
      throw error;
    }
  }

  async #warn(): Promise<void> {
    const { cluster, store, warn } = this.#deps;
    const stored = await store.read(cluster);
    const notAfter = stored?.expiresAt ?? null;
    const at = await this.#now();
    const step = warningOf(notAfter, at);
    const text = stored?.certificate ?? null;
    if (text === null || notAfter === null || step === null) return;
    const certificateId = readUnverified(text)?.id ?? cluster;
    await warn({ certificateId, step, daysLeft: Math.ceil((notAfter - at) / DAY), notAfter });
  }

  #open(text: string): Certificate | null {
    try {
      return openCertificate(text, this.#deps.keys);
    } catch (error) {
      if (error instanceof LicenceError) return null;
      throw error;
    }
  }
}

function toActive({ body, text, notAfter }: Certificate) {
  const { nodes = null, image_names, clusters } = body.ceiling;
  return { certificate: text, expiresAt: notAfter, ceiling: { nodes, imageNames: image_names, clusters } };
}

function entry(
  by: Actor,
  action: 'licence_request' | 'licence_activate' | 'licence_deactivate',
  target: string,
  path: string,
  detail: Readonly<Record<string, string>>,
) {
  return { actor: by, action, target, path, detail };
}

function warningsOf(
  state: LicenceState,
  stored: StoredLicence | null,
  at: number,
  clusters: number,
): readonly string[] {
  if (stored === null) return [];
  const found: string[] = [];
  const { expiresAt, ceiling, lastError } = stored;
  if (state === 'expired') found.push('the certificate ran out; its ceilings stay, and nothing stops');
  if (state === 'unverified')
    found.push('none of licence.publicKeys signed the certificate; its ceilings stay');
  if (state === 'active' && warningOf(expiresAt, at) !== null)
    found.push(`the certificate ends in ${daysText(Math.ceil(((expiresAt ?? at) - at) / DAY))}`);
  if (state !== 'none' && ceiling.clusters !== null && clusters > ceiling.clusters)
    found.push(`${clusters} clusters report to this service; the certificate is for ${ceiling.clusters}`);
  if (lastError !== null) found.push(`the last check of the licence service failed: ${lastError}`);
  return found;
}

function daysText(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}

function stateOf(isThere: boolean, isVerified: boolean, hasExpired: boolean): LicenceState {
  if (!isThere) return 'none';
  if (!isVerified) return 'unverified';
  return hasExpired ? 'expired' : 'active';
}
