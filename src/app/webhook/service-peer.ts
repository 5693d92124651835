import type { ReviewEvent } from '../../admission/index.ts';
import { Secret } from '../../base/index.ts';
import type { ReplicaStanding } from '../../replicas/index.ts';
import { Peer } from '../processes/peer.ts';
import type { ServiceActs, WebhookActs, WebhookStatus } from './acts.ts';
import type { ServiceAdmission } from './admission.ts';
import { NO_COUNTS } from './count-relay.ts';
import { EventRelay } from './event-relay.ts';
import type { WebhookPartDeps } from './part-deps.ts';
import { ToldState } from './told-state.ts';

/** PartAnswers are asked by the service's part, once the link is open. */
export interface PartAnswers {
  status(): WebhookStatus;
  /** Lets the next review be decided by what was committed before. */
  inEffect(): Promise<void>;
  /** Lets this replica answer the question of a sweep at once. */
  tick(): Promise<void>;
  /** Reads the lines of all replicas. */
  look(): Promise<ReplicaStanding[]>;
}

/** ServicePeer is the service's part as the webhook's knows it. */
export interface ServicePeer {
  /** Not open yet: nothing comes before. */
  readonly peer: Peer<WebhookActs, ServiceActs>;
  readonly told: ToldState;
  readonly events: EventRelay;
}

/** openServicePeer joins the link with what is told over it, and what is asked. `admission` gives null until the port is made, and where there is none. */
export function openServicePeer(
  { link, clock, log, counted, redactor }: WebhookPartDeps,
  admission: () => ServiceAdmission | null,
  answers: PartAnswers,
): ServicePeer {
  const told = new ToldState({
    clock,
    certificate: (certificate) => admission()?.replaceCertificate(certificate),
    paths: (ends) => {
      for (const end of ends) redactor.add(new Secret(end));
      admission()?.callers.takePaths(ends);
    },
    authority: (pem) => {
      admission()?.callers.trust(pem);
      admission()?.callersChanged();
    },
  });
  const peer: Peer<WebhookActs, ServiceActs> = new Peer<WebhookActs, ServiceActs>(link, {
    log,
    there: () => {
      told.begin();
      events.flush();
    },
    gone: () => told.away(),
    acts: {
      state: (piece) => told.take(piece),
      status: async ({ came }) => ({
        status: answers.status(),
        counts: (await counted?.take(came)) ?? NO_COUNTS,
      }),
      inEffect: async () => {
        await answers.inEffect();
        return null;
      },
      tick: async () => {
        await answers.tick();
        return null;
      },
      look: () => answers.look(),
    },
  });
  const events = new EventRelay(
    (batch: readonly ReviewEvent[]) =>
      peer.ask('events', batch).then(
        () => true,
        () => false,
      ),
    log,
  );
  return { peer, told, events };
}
