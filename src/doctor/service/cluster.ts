import { ageOf, DAY, isoOf, MINUTE } from '../ages.ts';
import { fail, ok, warn, type Check } from '../check.ts';
import type { ServiceFacts } from './facts.ts';

/** A certificate of one's own is renewed long before; less is left only where that fails. */
const CERTIFICATE_LEFT = 7 * DAY;

/** Fewer events say nothing; of more, this percentage is to be joined to an image. */
const FEW_EVENTS = 20;
const JOINED_LEAST = 80;

/** CLUSTER_STANDING are the checks of the webhook and of the part in a cluster. */
export const CLUSTER_STANDING: readonly Check<ServiceFacts>[] = [
  {
    id: 'webhook.answers',
    judge: ({ webhook }) => {
      if (webhook === null) return null;
      if (webhook.fault !== null)
        return fail(
          `the webhook is degraded: ${webhook.fault}`,
          'Look at the log of the service and at the other checks',
        );
      return ok('the webhook answers reviews');
    },
  },
  {
    id: 'webhook.serving-certificate',
    judge: ({ webhook }, at) => {
      if (webhook === null || webhook.certificateEndsAt === null) return null;
      const left = webhook.certificateEndsAt - at;
      const hint =
        'With webhook.certificates.source own, the leader renews it: see the job webhook-authority. Otherwise replace certFile and keyFile';
      const end = isoOf(webhook.certificateEndsAt);
      if (left <= 0) return fail(`the certificate of the webhook ended at ${end}`, hint);
      if (left < CERTIFICATE_LEFT) return warn(`the certificate of the webhook ends at ${end}`, hint);
      return ok(`the certificate of the webhook is valid until ${end}`);
    },
  },
  {
    id: 'webhook.callers',
    judge: ({ webhook }) => {
      if (webhook === null) return null;
      return webhook.guarded
        ? ok('only the API server can post reviews')
        : warn(
            'anyone who reaches the port of the webhook can post reviews',
            'Set webhook.callers.pathFile or webhook.callers.clientCaFile',
          );
    },
  },
  {
    id: 'cluster.reads',
    judge: ({ cluster }, at) => {
      if (cluster === null) return null;
      const stale = cluster.stale.filter(({ since }) => at - since > MINUTE);
      if (stale.length === 0) return ok('the objects that the service reads from the cluster are up to date');
      return stale.map(({ kind, since }) =>
        fail(
          `${kind} of the cluster were read last ${ageOf(at - since)} ago`,
          'Check the way to the API server, and the role of the service (ipo doctor --kubeconfig)',
        ),
      );
    },
  },
  {
    id: 'cluster.replicas',
    judge: ({ cluster }, at) => {
      if (cluster === null) return null;
      if (cluster.holding.length === 0) return ok('every replica has stored its rows');
      return cluster.holding.map(({ name, since }) =>
        warn(
          `the replica ${name} may hold rows since ${ageOf(at - since)} ago, so sweeps skip the pods of this time`,
          'Start it again on its volume; if the volume is lost: ipo cluster forget-replica',
        ),
      );
    },
  },
  {
    id: 'cluster.name',
    judge: ({ cluster }) => {
      if (cluster === null) return null;
      if (cluster.name === null)
        return warn('the cluster has no name, so several clusters cannot be told apart', 'Set clusterName');
      if (cluster.sameName.length === 0) return ok(`only this cluster is called ${cluster.name}`);
      return fail(
        `another cluster (kube-system ${cluster.sameName[0] ?? ''}) reports under the name ${cluster.name} too`,
        'Give one of them another clusterName: the service takes both for one cluster',
      );
    },
  },
  {
    id: 'runtime.joined',
    judge: ({ runtimeEvents: { events, byField, byPod } }) => {
      if (events < FEW_EVENTS) return null;
      const joined = byField + byPod;
      const share = Math.floor((joined * 100) / events);
      const found = `${share} % of the newest ${events} events of containers were joined to an image: ${byField} by field, ${byPod} by pod; not joined: ${events - joined}`;
      return share >= JOINED_LEAST
        ? ok(found)
        : warn(
            found,
            'Let the detector send container.image.digest, k8s.pod.uid and container.full_id (append_output in falco.yaml): an event without an image stops nothing and files no issue',
          );
    },
  },
  {
    id: 'cluster.nodes',
    judge: ({ cluster }, at) => {
      if (cluster === null) return null;
      if (cluster.nodesOverSince === null) return ok('the ready nodes are within their ceiling');
      return warn(
        `more nodes are ready than the ceiling allows, for ${ageOf(at - cluster.nodesOverSince)}`,
        'See ipo system nodes and ipo licence show: after the days of grace, image names not seen this month are denied',
      );
    },
  },
];
