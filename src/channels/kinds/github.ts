import { isLoopback } from '../../base/index.ts';
import { FILED } from '../events.ts';
import {
  allowedTargets,
  apiAddress,
  credential,
  labels,
  plainLabel,
  shaped,
  STEP,
  trackerFields,
} from '../fields.ts';
import type { Routed, Tracker, TrackerSettings } from '../kind.ts';
import { isName, isStep } from '../steps.ts';

/** GithubSettings are those of GitHub and GitHub Enterprise. */
export interface GithubSettings extends TrackerSettings, Routed {
  /** `owner/name`. */
  readonly defaultRepo: string;
}

/** GitHub as a service: the one for all, and those of tenants with a place of their own. */
const HOSTED = /^api\.(github\.com|[a-z0-9-]+\.ghe\.com)$/;
const REPO = new RegExp(`^${STEP}/(?!.*\\.git$)${STEP}$`);

function addressFault(host: string, path: string): string | null {
  if (HOSTED.test(host)) return path === '' ? null : `must be https://${host} without a path`;
  if (/(^|\.)(github|ghe)\.com$/.test(host))
    return `must be the address of the API, such as https://api.${host.replace(/^www\./, '')}`;
  if (path.endsWith('/api/v3') || (path === '' && isLoopback(host))) return null;
  return 'must be https://api.github.com, or the address of an Enterprise Server with /api/v3 at its end';
}

export const github: Tracker<'github', GithubSettings, 'token'> = {
  kind: 'github',
  events: FILED,
  fields: (rules) => ({
    apiBaseUrl: apiAddress(addressFault, rules),
    token: credential,
    defaultRepo: shaped('repository as owner/name', REPO, 140),
    labels: labels(plainLabel(50)),
    ...trackerFields,
    allowedTargets,
  }),
  target: ({ defaultRepo }) => defaultRepo,
  credentials: ['token'],
  credential: () => 'token',
  addressFault,
  webHost({ apiBaseUrl }) {
    const { host } = new URL(apiBaseUrl);
    return HOSTED.test(host) ? host.slice('api.'.length) : host;
  },
  textForm: () => 'github',
  findsBy: 'list',
  routing: {
    /** A repository on GitHub is the first two segments of the path, `owner/name`. */
    toTarget([owner = '', last = '']) {
      const name = last.replace(/\.git$/i, '');
      const isOne = owner.length <= 100 && name.length <= 100 && isStep(owner) && isName(name);
      return isOne && !/\.git$/i.test(owner) ? `${owner}/${name}` : null;
    },
    nested: false,
    publicHost: 'github.com',
  },
  setup: {
    name: 'GitHub',
    standardUrl: 'https://api.github.com',
    example: { apiBaseUrl: 'https://api.github.com', defaultRepo: 'owner/name' },
    target: {
      option: 'repo',
      field: 'defaultRepo',
      text: 'Repository for issues that no label of an image routes (owner/name)',
    },
    options: ['repo', 'allowedTarget'],
    credentials: { token: 'Token, fine-grained with Issues: read and write (not shown)' },
    looks: [
      { form: /^github_pat_/, name: 'a fine-grained token of GitHub', usable: true },
      { form: /^ghp_/, name: 'a classic token of GitHub', usable: true },
      {
        form: /^gh[ousr]_/,
        name: 'a token of a GitHub app or sign-in, which ends soon',
        usable: false,
      },
    ],
    toApiUrl({ origin, protocol, host, hostname }, path) {
      if (/^(www\.)?github\.com$/.test(hostname)) return 'https://api.github.com';
      if (/^[a-z0-9-]+\.ghe\.com$/.test(hostname) && hostname !== 'api.ghe.com')
        return `${protocol}//api.${host}`;
      if (HOSTED.test(hostname)) return origin;
      const root = /^(.*)\/api\/v3$/.exec(path);
      return root === null && /^(127\.|\[::1\])/.test(hostname)
        ? origin
        : `${origin}${root?.[1] ?? ''}/api/v3`;
    },
    toTarget: (_path, steps) =>
      steps
        .slice(0, 2)
        .join('/')
        .replace(/\.git$/, ''),
  },
};
