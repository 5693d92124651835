import { holdOrigin, sessionCookieName } from '../../accounts/index.ts';
import { openApi, probes, UntrustedProxies, type Api, type ApiOptions, type Route } from '../../api/index.ts';
import { backupHistory } from '../../store/index.ts';
import { openServiceDoctor } from '../doctor/service.ts';
import type { Jobs } from '../running/jobs.ts';
import type { Opening } from '../running/opening.ts';
import { originsOf } from '../service/address.ts';
import { openServiceCalls, type ServiceCalls } from '../service/calls.ts';
import { observedBy } from '../service/health-parts.ts';
import type { ServiceHealth } from '../service/health.ts';
import { openHealth } from '../service/open-health.ts';
import { serviceRoutes } from '../service/routes.ts';
import type { Foundation } from './foundation.ts';
import type { ServiceMembers } from './members.ts';

/** ServiceApi is what answers calls of the API, and of probes. */
export interface ServiceApi {
  readonly api: Api;
  /** The threads that answer costly calls. */
  readonly calls: ServiceCalls;
  readonly health: ServiceHealth;
}

/** openServiceApi joins the routes with what works behind them. Nothing listens yet. */
export function openServiceApi(
  base: Foundation,
  members: ServiceMembers,
  jobs: Jobs,
  opening: Opening,
): ServiceApi {
  const { settings, clock, log, metrics, tls, version } = base;
  const { parts, ledger, operator, runtime } = members;
  const proxies = new UntrustedProxies({ now: () => clock.now(), log });
  const health = openHealth({ ...base, ...members, jobs, proxies });
  const routes = routesOf(base, members, health);
  metrics.set('svc_build_info', 1, { version });
  const calls = openServiceCalls({
    ...base,
    ...members,
    ledger: ledger.routes,
    traffic: members.operator.peer.traffic,
  });
  opening.adopt(calls, () => calls.close());
  const api = openApi({
    routes,
    ...calls.api,
    probes: probes({
      unready: () => health.unready(),
      metrics: async () => ({ text: await metrics.text(), type: metrics.contentType }),
    }),
    signIn: {
      cookies: [sessionCookieName(parts.cookie)],
      principalOf: (secret, via) => parts.accounts.principalOf(secret, via),
      holdOrigin: ({ cookie, ...request }) => holdOrigin(request, { origins: originsOf(settings), cookie }),
    },
    log,
    observe: observedBy(metrics),
    tls,
    https: parts.cookie.https,
    trustedProxies: settings.trustedProxies,
    proxies,
    inEffect: bringsIntoEffect(base, members),
  });
  opening.unlessAnswered(() => Promise.all([api.close(0), operator.close(), runtime.close(0)]));
  return { api, calls, health };
}

function routesOf(base: Foundation, members: ServiceMembers, health: ServiceHealth): Route[] {
  const { parts, ledger, trackers, facts, operator, licence, evidence, runtime } = members;
  const { database } = facts.scanning;
  return serviceRoutes(
    {
      parts,
      ledger: ledger.routes,
      trackers: trackers.routes,
      health,
      nodes: operator.nodes,
      replicas: operator.replicas.list,
      backups: backupHistory(base.store),
      examine: openServiceDoctor({
        ...base,
        ...members,
        ...trackers.routes,
        health,
        licence: licence.routes.licences,
        database,
      }),
      licence: licence.routes,
      evidence: evidence.routes,
      detector: runtime.detector,
      database,
      collected: (digest) => facts.collected(digest),
    },
    base.version,
  );
}

/** What is done once a call has written: whether it is in effect here, and by what it comes to other replicas. */
function bringsIntoEffect(
  { store, log }: Foundation,
  { cluster, operator }: ServiceMembers,
): NonNullable<ApiOptions['inEffect']> {
  return async (written) => {
    // A policy of a cluster comes to every replica by the watch, all else by the database.
    const shared = store.engine === 'sqlite' ? null : 1;
    const others = written !== null && cluster !== null ? 'watch' : shared;
    try {
      return { here: await operator.inEffect(written), others };
    } catch (error) {
      log.warn('what was written is in effect here once the database answers again', { error });
      return { here: false, others };
    }
  };
}
