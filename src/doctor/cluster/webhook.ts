import { DAY, isoOf } from '../ages.ts';
import { fail, ok, warn, type Check, type Verdict } from '../check.ts';
import type { ClusterFacts, SeenWebhook } from './facts.ts';

/** The API server holds each pod up for as long as it waits. */
const LONG_TIMEOUT = 15;

const ours = ({ webhooks, namespace }: ClusterFacts): readonly SeenWebhook[] =>
  webhooks.filter((one) => one.namespace === namespace || one.namespace === null);

/** WEBHOOK_CHECKS are those of how the API server calls the service. */
export const WEBHOOK_CHECKS: readonly Check<ClusterFacts>[] = [
  {
    id: 'webhook.configuration',
    judge: (facts) => {
      if (facts.installation === null) return null;
      const [first, ...more] = facts.webhooks;
      if (first === undefined || ours(facts).length === 0)
        return fail(
          'there is no ValidatingWebhookConfiguration for the service, so no pod is reviewed',
          'Upgrade the chart, which brings it',
        );
      return more.length === 0
        ? ok(`the API server calls the service by ${first.configuration}`)
        : warn(
            `${facts.webhooks.length} webhooks of the operator review each pod: ${facts.webhooks.map(({ configuration }) => configuration).join(', ')}`,
            'Remove the installation that is not needed: each writes rows of its own',
          );
    },
  },
  {
    id: 'webhook.ca-bundle',
    judge: (facts) => {
      const hint =
        'With webhook.certificates.source own, the leader writes it within 5 s: see the log of the leader. With cert-manager, see the log of its CA injector';
      const found = ours(facts).flatMap(({ configuration, caBundle }): Verdict[] => {
        if (caBundle === 'missing')
          return [fail(`${configuration} has no caBundle, so the API server trusts no certificate`, hint)];
        if (caBundle === 'unreadable')
          return [fail(`the caBundle of ${configuration} is not a certificate`, hint)];
        if (caBundle === 'other')
          return [
            fail(
              `the caBundle of ${configuration} is of another authority than the certificate of the webhook`,
              hint,
            ),
          ];
        return caBundle === 'ok'
          ? [ok(`the caBundle of ${configuration} signed the certificate of the webhook`)]
          : [];
      });
      return found.length > 0 ? found : null;
    },
  },
  {
    id: 'webhook.path',
    judge: (facts) => {
      const called = ours(facts).filter(({ service }) => service !== null);
      if (called.length === 0) return null;
      return called.map(({ configuration, hasPath }) =>
        hasPath
          ? ok(`${configuration} calls the webhook by its secret path`)
          : fail(
              `${configuration} has no secret path, so the webhook rejects the calls of the API server`,
              'The leader writes it within 5 s: see the job webhook-path in the log of the leader',
            ),
      );
    },
  },
  {
    id: 'webhook.certificate',
    judge: ({ certificate, webhooks, namespace }, at) => {
      if (certificate === null) return null;
      const { endsAt, names } = certificate;
      const hint =
        'With webhook.certificates.source own, the leader renews it: see the log of the leader. Otherwise renew it where it comes from';
      if (endsAt <= at) return fail(`the certificate of the webhook ended at ${isoOf(endsAt)}`, hint);
      if (endsAt - at < 7 * DAY) return warn(`the certificate of the webhook ends at ${isoOf(endsAt)}`, hint);
      const called = webhooks.find((one) => one.namespace === namespace && one.service !== null);
      const name = called === undefined ? null : `${called.service}.${namespace}.svc`;
      if (name !== null && !names.some((one) => one === name))
        return fail(`the certificate of the webhook is not for ${name}`, hint);
      return ok(`the certificate of the webhook is valid until ${isoOf(endsAt)}`);
    },
  },
  {
    id: 'webhook.endpoints',
    judge: ({ webhookEndpoints, webhooks, namespace }) => {
      const called = webhooks.find((one) => one.namespace === namespace && one.service !== null);
      if (called === undefined) return null;
      if (webhookEndpoints === null)
        return fail(
          `the Service ${called.service} that the API server calls is missing`,
          'Upgrade the chart, which brings it',
        );
      return webhookEndpoints === 0
        ? fail(
            `no ready pod is behind the Service ${called.service}, so pods are not reviewed`,
            'See cluster.pods',
          )
        : ok(`${webhookEndpoints} pods answer behind the Service ${called.service}`);
    },
  },
  {
    id: 'webhook.reachable',
    judge: ({ webhookAnswers, webhookEndpoints }) => {
      // Nobody is there to answer: another check says so.
      if (webhookAnswers === null || webhookEndpoints === null || webhookEndpoints === 0) return null;
      return webhookAnswers === true
        ? ok('the API server gets answers of the webhook')
        : fail(
            `the API server does not reach the webhook, so pods are not reviewed: ${webhookAnswers}`,
            'Let the control plane reach the port of the webhook (webhook.port): see NetworkPolicies, the firewall of the nodes, and networkPolicy.webhookFrom of the chart',
          );
    },
  },
  {
    id: 'webhook.failure-policy',
    judge: (facts) => {
      const found = ours(facts).map(({ configuration, failurePolicy, exempt }) => {
        if (failurePolicy !== 'Fail') return ok(`failurePolicy is ${failurePolicy}`);
        const missing = [facts.namespace, 'kube-system'].filter((name) => !exempt.includes(name));
        return missing.length === 0
          ? ok('failurePolicy is Fail, and the namespaces that the service needs are left out')
          : fail(
              `${configuration} has failurePolicy Fail and does not leave out ${missing.join(' and ')}: the service cannot start again after an outage`,
              'Leave them out by kubernetes.io/metadata.name, as the chart does',
            );
      });
      return found.length > 0 ? found : null;
    },
  },
  {
    id: 'webhook.rules',
    judge: (facts) => {
      const found = ours(facts).map(({ configuration, resources }) => {
        const hint = 'Upgrade the chart';
        if (!resources.includes('pods'))
          return fail(`${configuration} does not name pods, so none is reviewed`, hint);
        return resources.includes('pods/ephemeralcontainers')
          ? ok('pods and their ephemeral containers are reviewed')
          : warn(
              `${configuration} does not name pods/ephemeralcontainers, so debug containers are not reviewed`,
              hint,
            );
      });
      return found.length > 0 ? found : null;
    },
  },
  {
    id: 'webhook.timeout',
    judge: (facts) => {
      const slow = ours(facts).filter(({ timeoutSeconds }) => timeoutSeconds > LONG_TIMEOUT);
      if (ours(facts).length === 0) return null;
      return slow.length === 0
        ? ok('the API server waits only briefly for the service')
        : slow.map(({ configuration, timeoutSeconds }) =>
            warn(
              `the API server waits up to ${timeoutSeconds} s for ${configuration}`,
              'Set webhook.timeoutSeconds to 10 or less',
            ),
          );
    },
  },
];
