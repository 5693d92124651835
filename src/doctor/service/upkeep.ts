import { ageOf } from '../ages.ts';
import { fail, ok, warn, type Check, type Verdict } from '../check.ts';
import type { ServiceFacts } from './facts.ts';

/** UPKEEP_CHECKS are those of policies, backups, the licence and the way to the service and from it. */
export const UPKEEP_CHECKS: readonly Check<ServiceFacts>[] = [
  {
    id: 'policies.valid',
    judge: ({ policies }) => {
      const broken = policies.flatMap(({ fault, ...one }) => (fault === null ? [] : [{ ...one, fault }]));
      if (broken.length === 0) return ok(`${policies.length} policies are valid`);
      return broken.map(({ kind, name, fault }) =>
        fail(
          `the ${kind} ${name} is not valid: ${fault}`,
          `Fix its document, and apply it: ipo policy apply FILE`,
        ),
      );
    },
  },
  {
    id: 'policies.there',
    judge: ({ policies }) =>
      policies.some(({ kind }) => kind === 'ImagePolicy')
        ? ok('there is a policy in effect')
        : warn(
            'there is no policy, so every image is allowed',
            'Write one with ipo policy init, and apply it with ipo policy apply',
          ),
  },
  {
    id: 'backups.fresh',
    judge: ({ backups: { every, lastDoneAt, lastError }, startedAt }, at) => {
      if (every === null) return null;
      const found: Verdict[] = [];
      const hint =
        'See ipo backup list; check backup.directory, its space and its owner, and the credential of backup.registry';
      if (lastError !== null) found.push(fail(`the last backup failed: ${lastError}`, hint));
      const since = at - (lastDoneAt ?? startedAt);
      if (since > 2 * every)
        found.push(
          fail(`the last backup is ${ageOf(since)} old, and one is due every ${ageOf(every)}`, hint),
        );
      return found.length > 0 ? found : ok('backups are made by their schedule');
    },
  },
  {
    id: 'licence.valid',
    judge: ({ licence: { state, warnings } }) => {
      if (state === 'none') return null;
      if (warnings.length === 0 && state === 'active') return ok('the licence certificate is valid');
      const hint = 'See ipo licence show, and activate a new certificate with ipo licence activate';
      return warnings.length > 0
        ? warnings.map((sentence) => warn(sentence.replace(/\.$/, ''), hint))
        : warn(`the licence certificate is ${state}`, hint);
    },
  },
  {
    id: 'licence.check',
    judge: ({ licence: { lastError } }) =>
      lastError === null
        ? null
        : warn(
            `the last call of the licence service failed: ${lastError}`,
            'Check licence.url, licence.key and the network; ceilings stay as they are',
          ),
  },
  {
    id: 'outbound.proxy',
    judge: ({ proxyFault }) =>
      proxyFault === null
        ? null
        : fail(
            `the proxy of outbound calls does not answer: ${proxyFault}`,
            'Correct outbound.proxy, or list what is called directly in outbound.noProxy',
          ),
  },
  {
    id: 'http.trusted-proxies',
    judge: ({ untrustedProxies }) =>
      untrustedProxies.length === 0
        ? null
        : warn(
            `${untrustedProxies.join(', ')} forwards calls and is not a trusted proxy, so all its clients count as one`,
            'List it in trustedProxies if it is yours',
          ),
  },
];
