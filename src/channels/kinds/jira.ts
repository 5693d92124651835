import type { z } from 'zod';
import { FILED } from '../events.ts';
import {
  ADDRESS,
  address,
  credential,
  labels,
  number,
  plainLabel,
  said,
  shaped,
  text,
  trackerFields,
} from '../fields.ts';
import type { Tracker, TrackerSettings } from '../kind.ts';
import { readApiUrl } from '../outbound-url.ts';

/** JiraSettings are those of Jira in the cloud and of Jira Data Center. */
export interface JiraSettings extends TrackerSettings {
  /** With an API token (cloud); null where a bearer token is used (Data Center). */
  readonly email: string | null;
  readonly projectKey: string;
  readonly issueType: string;
  /** Optional; no transition is guessed from the workflow. */
  readonly doneTransitionId: string | null;
}

/**
 * JiraWay is what the authentication of a Jira channel selects: "Cloud uses `/rest/api/3` with structured-document (ADF) bodies.
 * Data center uses `/rest/api/2` with plain-text bodies."
 */
export type JiraWay =
  | { readonly credential: 'apiToken'; readonly api: 3; readonly bodies: 'adf' }
  | { readonly credential: 'bearerToken'; readonly api: 2; readonly bodies: 'text' };

/** jiraWay tells which API a Jira channel speaks: exactly one mechanism is configured, never both. */
export function jiraWay({ email }: { readonly email?: unknown }): JiraWay {
  return typeof email === 'string'
    ? { credential: 'apiToken', api: 3, bodies: 'adf' }
    : { credential: 'bearerToken', api: 2, bodies: 'text' };
}

const GATEWAY = /^\/ex\/jira\/[A-Za-z0-9-]{8,64}$/;
const GATEWAY_HOST = 'api.atlassian.com';
const CLOUD_HOST = /\.(atlassian\.net|jira\.com|jira-dev\.com|atlassian-us-gov-mod\.net)$/;

/** JiraForm is one of the three forms of the address of Jira. */
export type JiraForm = 'site' | 'gateway' | 'data_center';

/**
 * jiraForm tells which form the address of a Jira channel has. "Under the gateway form, site links are built from the site
 * address", which the service asks for; under the others the address itself is the site's.
 */
export function jiraForm({ apiBaseUrl, email }: Pick<JiraSettings, 'apiBaseUrl' | 'email'>): JiraForm {
  if (email === null) return 'data_center';
  return GATEWAY.test(new URL(apiBaseUrl).pathname) ? 'gateway' : 'site';
}

function addressFault(host: string, path: string, hasEmail: boolean): string | null {
  return hasEmail ? cloudFault(host, path) : dataCenterFault(host, path);
}

function cloudFault(host: string, path: string): string | null {
  if (GATEWAY.test(path)) return null;
  if (host === GATEWAY_HOST || path.startsWith('/ex/'))
    return 'must be https://api.atlassian.com/ex/jira/<cloudId> on the gateway; GET <site>/_edge/tenant_info tells the cloudId';
  if (path !== '')
    return 'must be the address of the site, such as https://example.atlassian.net, without a path; with a Data Center use bearerToken instead of email and apiToken';
  return null;
}

function dataCenterFault(host: string, path: string): string | null {
  if (CLOUD_HOST.test(host) || host === GATEWAY_HOST || GATEWAY.test(path))
    return 'is that of Jira Cloud, which takes email and apiToken instead of bearerToken';
  return /\/rest(\/|$)/.test(path) ? 'must end before /rest, which is added' : null;
}

/** Exactly one way to sign in is configured. `email` says to which of the two a stored credential belongs. */
function mechanismFault(
  value: Readonly<Record<string, unknown>>,
): { readonly message: string; readonly path: readonly string[] } | null {
  const has = (field: 'email' | 'apiToken' | 'bearerToken'): boolean => typeof value[field] === 'string';
  if (has('bearerToken') && (has('email') || has('apiToken'))) {
    return {
      message:
        'exactly one way to sign in is needed: email with apiToken (cloud), or bearerToken (Data Center); both are given',
      path: ['bearerToken'],
    };
  }
  if (has('apiToken') && !has('email')) {
    return { message: 'email is missing: apiToken needs it', path: ['email'] };
  }
  return null;
}

export const jira: Tracker<'jira', JiraSettings, 'apiToken' | 'bearerToken'> = {
  kind: 'jira',
  events: FILED,
  fields: () => ({
    apiBaseUrl: address,
    email: shaped('e-mail address', ADDRESS, 254).nullish(),
    apiToken: credential,
    bearerToken: credential,
    projectKey: shaped('key of a project, such as SEC', /^[A-Z][A-Z0-9_]*$/, 255),
    issueType: text('issue type', 60).default('Task'),
    doneTransitionId: number('id of a transition, such as 31', /^\d{1,18}$/).nullish(),
    labels: labels(plainLabel(255, /\s/, 'blanks')),
    ...trackerFields,
  }),
  together: (document, rules): z.ZodType =>
    document
      .superRefine((value, issues) => {
        const fault = mechanismFault(value);
        if (fault !== null) issues.addIssue({ code: 'custom', ...fault, path: [...fault.path] });
      })
      .transform((value, issues) => {
        const hasEmail = typeof value['email'] === 'string';
        const faultOf = (host: string, path: string): string | null => addressFault(host, path, hasEmail);
        const read = readApiUrl(String(value['apiBaseUrl']).trim(), faultOf, rules);
        return { ...value, apiBaseUrl: said(read, issues, ['apiBaseUrl']) };
      }),
  unset: { email: null, doneTransitionId: null },
  target: ({ projectKey }) => projectKey,
  credentials: ['apiToken', 'bearerToken'],
  credential: (settings) => jiraWay(settings).credential,
  addressFault,
  webHost: (settings) => (jiraForm(settings) === 'gateway' ? null : new URL(settings.apiBaseUrl).host),
  textForm: (settings) => `jira ${jiraWay(settings).api}`,
  findsBy: 'index',
  // A label names a repository, and Jira has none: issues always go to `projectKey`.
  routing: null,
  setup: {
    name: 'Jira',
    example: { apiBaseUrl: 'https://example.atlassian.net', email: 'a@example.com', projectKey: 'KEY' },
    target: { option: 'project', field: 'projectKey', text: 'Key of the project in which issues are opened' },
    options: ['project', 'email', 'issueType', 'exampleIssue', 'doneTransition'],
    credentials: {
      apiToken: 'API token of the account (not shown)',
      bearerToken: 'Personal access token of the account (not shown)',
    },
    looks: [{ form: /^ATATT/, name: 'an API token of Atlassian', usable: true }],
    toApiUrl({ origin, hostname }, path) {
      if (/\.(atlassian\.net|jira\.com)$/.test(hostname)) return origin;
      return `${origin}${path.replace(/\/(rest|browse|projects|secure)(\/.*)?$/, '')}`;
    },
    toTarget(path) {
      const [, key = path] = /^(?:.*\/)?(?:browse|projects)\/([A-Za-z][A-Za-z0-9_]*)/.exec(path) ?? [];
      return key.toUpperCase();
    },
  },
};
