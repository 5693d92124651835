import { ageOf, MINUTE } from '../ages.ts';
import { fail, ok, warn, type Check, type Verdict } from '../check.ts';
import type { ClusterFacts } from './facts.ts';

/** More restarts than an upgrade or a drained node brings. */
const RESTARTS = 5;

/** The clock here and that of the cluster may differ. */
const SKEW = MINUTE;

/** INSTALLATION_CHECKS are those of what the chart installs. The first must be that of the API server. */
export const INSTALLATION_CHECKS: readonly Check<ClusterFacts>[] = [
  {
    id: 'cluster.api-server',
    judge: ({ fault }) =>
      fault === null
        ? ok('the API server answers')
        : fail(
            `the API server cannot be asked: ${fault}`,
            'Check the kubeconfig and its context: kubectl get namespaces',
          ),
  },
  {
    id: 'cluster.installed',
    judge: ({ installation, namespace }) =>
      installation === null
        ? fail(
            `the service is not installed in the namespace ${namespace}`,
            'Name its namespace with --namespace, or install the chart',
          )
        : ok(`${installation} is installed in ${namespace}`),
  },
  {
    id: 'cluster.definitions',
    judge: ({ definitions }) => {
      const wrong = definitions.flatMap(({ name, state }): Verdict[] => {
        const hint = 'Upgrade the chart, which brings its definitions (crds.install: true)';
        if (state === 'missing') return [fail(`the CustomResourceDefinition ${name} is missing`, hint)];
        if (state === 'not_established')
          return [
            fail(
              `the CustomResourceDefinition ${name} is not established`,
              `See kubectl describe crd ${name}`,
            ),
          ];
        if (state === 'older')
          return [warn(`the CustomResourceDefinition ${name} is not that of this release`, hint)];
        return [];
      });
      return wrong.length > 0 ? wrong : ok('the CustomResourceDefinitions are those of this release');
    },
  },
  {
    id: 'cluster.pods',
    judge: ({ pods, replicas, installation }) => {
      if (installation === null) return null;
      const wrong = pods.flatMap(({ name, ready, waiting, restarts }): Verdict[] => {
        const hint = `See kubectl describe pod ${name} and its log`;
        if (!ready)
          return [fail(`the pod ${name} is not ready${waiting === null ? '' : `: ${waiting}`}`, hint)];
        return restarts > RESTARTS ? [warn(`the pod ${name} was started again ${restarts} times`, hint)] : [];
      });
      if (pods.length < replicas)
        wrong.push(
          fail(
            `${pods.length} of ${replicas} pods are there`,
            `See kubectl describe statefulset ${installation}`,
          ),
        );
      return wrong.length > 0 ? wrong : ok(`${pods.length} pods are ready`);
    },
  },
  {
    id: 'cluster.versions',
    judge: ({ pods, chartVersion, program }) => {
      const images = [...new Set(pods.map(({ image }) => image))];
      if (images.length > 1)
        return warn(
          `the pods run ${images.length} images: ${images.join(', ')}`,
          'Wait for the rollout, or see kubectl rollout status',
        );
      if (chartVersion === null || pods.length === 0) return null;
      return chartVersion === program
        ? ok(`the chart is of ${chartVersion}`)
        : ok(`the chart is of ${chartVersion}, this program of ${program}`);
    },
  },
  {
    id: 'cluster.storage',
    judge: ({ unbound }) =>
      unbound.length === 0
        ? ok('every PersistentVolumeClaim is bound')
        : unbound.map((name) =>
            fail(`the PersistentVolumeClaim ${name} is not bound`, `See kubectl describe pvc ${name}`),
          ),
  },
  {
    id: 'cluster.data-key',
    judge: ({ dataKey }) => {
      if (dataKey === 'missing')
        return fail(
          'the Secret of DATA_KEY is missing',
          'Restore it from your copy; with a new key, stored tokens cannot be read',
        );
      if (dataKey === 'invalid')
        return fail('DATA_KEY is not the base64 of 32 bytes', 'Put the key back that the service had');
      return dataKey === 'ok' ? ok('the Secret of DATA_KEY is there') : null;
    },
  },
  {
    id: 'leader.lease',
    judge: ({ lease, pods, installation }, at) => {
      if (installation === null) return null;
      const hint =
        'A replica takes over by itself if one is ready; see the role (rbac.verbs) and the log of the pods';
      if (lease === null || lease.holder === '' || lease.renewedAt === null)
        return fail('no replica holds the Lease of the leader', hint);
      const late = at - lease.renewedAt - lease.durationMs - SKEW;
      if (!pods.some(({ name }) => lease.holder.includes(name)))
        return fail(
          `the Lease ${lease.name} is held by ${lease.holder}, which is not a pod of the service any more`,
          hint,
        );
      return late > 0
        ? fail(`the Lease ${lease.name} was renewed last ${ageOf(at - lease.renewedAt)} ago`, hint)
        : ok(`${lease.holder} leads`);
    },
  },
  {
    id: 'rbac.verbs',
    judge: ({ lacking, installation }) => {
      if (installation === null) return null;
      if (lacking === null)
        return warn(
          'this account may not read which permissions the service has',
          'Use an account that may create SubjectAccessReviews',
        );
      if (lacking.length === 0) return ok('the service is allowed what the role of the chart allows');
      return lacking.map((what) =>
        fail(
          `the service may not ${what}`,
          'Upgrade the chart with rbac.create: true, or add it to the role of the service',
        ),
      );
    },
  },
];
