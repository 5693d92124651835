import type { Api } from '../../api/index.ts';
import { parseListen } from '../config/settings.ts';
import type { Jobs } from '../running/jobs.ts';
import { Opening } from '../running/opening.ts';
import { CALLS_MS, END_MS } from '../running/shutdown.ts';
import { localUrl } from '../service/address.ts';
import { prepareSetup } from '../service/prepare-setup.ts';
import { openFoundation, type Foundation } from './foundation.ts';
import { openMembers, type ServiceMembers } from './members.ts';
import { openJobs } from './open-jobs.ts';
import type { RunningService, ServiceOptions } from './running-service.ts';
import { openServiceApi, type ServiceApi } from './service-api.ts';

/** So long after the signal the webhook's part is waited for no longer: the rest of the time belongs to the checkpoint. */
const LAST_OF_WEBHOOK = END_MS - 8_000;

/** What is begun last and ended first. */
interface Service {
  readonly base: Foundation;
  readonly members: ServiceMembers;
  readonly jobs: Jobs;
  readonly door: ServiceApi;
}

/**
 * startService starts a service: directory, database (brought up to date under its lock), key, spool, services, jobs, and
 * listens last. What keeps it from starting is thrown, with everything closed again that was open.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  await using opening = new Opening();
  const base = await openFoundation(options, opening);
  const members = await openMembers(base, opening);
  let api: Api | null = null;
  const jobs = openJobs(base, members, () => api);
  const door = openServiceApi(base, members, jobs, opening);
  api = door.api;
  const service: Service = { base, members, jobs, door };
  const setupCode = await prepareSetup(members.parts, base.settings);
  const { url, webhook } = await begin(service);
  const { settings, store, log } = base;
  log.info('service answers', {
    url,
    webhook,
    public_url: settings.publicUrl,
    version: base.version,
    engine: store.engine,
  });
  if (setupCode !== null)
    log.warn('no administrator can sign in yet; make the first with this code', { setup_code: setupCode });

  const closeOpened = opening.answers();
  let closing: Promise<void> | null = null;
  const close = async (graceMs: number, passedMs: number): Promise<void> => {
    await end(service, graceMs, passedMs);
    await closeOpened();
  };
  return {
    url,
    webhook,
    setupCode,
    data: settings.data ?? `(${store.engine})`,
    parts: members.parts,
    store,
    append: members.webhook?.appender ?? members.ledger.appender,
    checkpoint: members.ledger.checkpoint,
    trackers: members.trackers,
    sweep: members.operator.sweep,
    close: (graceMs = CALLS_MS, passedMs = 0) => (closing ??= close(graceMs, passedMs)),
    sayLeft: () => members.webhook?.sayLeft(),
  };
}

/** Listens, and lets everything begin that works by itself: jobs last. Gives where it answers. */
async function begin({
  base,
  members,
  jobs,
  door,
}: Service): Promise<Pick<RunningService, 'url' | 'webhook'>> {
  const { host, port } = parseListen(base.settings.listen) ?? { host: '127.0.0.1', port: 8080 };
  const { operator, runtime, replay } = members;
  const address = await door.api.listen(host, port);
  const url = localUrl(address, base.tls !== undefined);
  await operator.start();
  operator.peer.start();
  const webhook = (await members.webhook?.start()) ?? null;
  await runtime.start();
  replay.start();
  door.calls.start();
  jobs.start();
  return { url, webhook };
}

/** Ends in order what works by itself; what was opened is closed after it. */
async function end({ members, jobs, door }: Service, graceMs: number, passedMs: number): Promise<void> {
  const began = performance.now() - passedMs; // the clock may be set meanwhile
  const { parts, facts, webhook, operator, runtime, trackers, ledger } = members;
  door.health.drain();
  parts.kev.stop();
  parts.endOfLife.stop();
  facts.scanning.database.stop();
  const passed = performance.now() - began;
  const ends = webhook?.close(graceMs, passed) ?? operator.peer.ended(Math.max(0, LAST_OF_WEBHOOK - passed));
  await Promise.all([door.api.close(graceMs), ends, runtime.close(graceMs)]);
  await Promise.all([operator.close(), trackers.notifications.stop()]);
  await ledger.appender.close();
  // The last checkpoint covers what the webhook's part wrote at its end.
  await jobs.stop();
}
