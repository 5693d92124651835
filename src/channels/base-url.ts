import { isLoopback } from '../base/index.ts';
import type { JiraSettings, TrackerChannel } from './channel.ts';
import type { TrackerKind } from './kinds.ts';
import { readOutboundUrl, type Said } from './outbound-url.ts';
import type { ChannelRules } from './rules.ts';

const GATEWAY = /^\/ex\/jira\/[A-Za-z0-9-]{8,64}$/;
const GATEWAY_HOST = 'api.atlassian.com';
const CLOUD_HOST = /\.(atlassian\.net|jira\.com|jira-dev\.com|atlassian-us-gov-mod\.net)$/;
/** GitHub as a service: the one for all, and those of tenants with a place of their own. */
const HOSTED_GITHUB = /^api\.(github\.com|[a-z0-9-]+\.ghe\.com)$/;

/** BaseUrlParts say what the form of an address depends on. */
export interface BaseUrlParts {
  readonly kind: TrackerKind;
  /** Of Jira: whether an API token with an e-mail address is used (cloud), not a bearer token. */
  readonly hasEmail: boolean;
}

/**
 * readBaseUrl reads the `apiBaseUrl` of a tracker channel: the form of the provider, on an address that may be called. Gives it
 * without a slash at its end.
 */
export function readBaseUrl(text: string, parts: BaseUrlParts, rules: ChannelRules): Said<string> {
  const read = readOutboundUrl(text, rules);
  if ('fault' in read) return read;
  const { value: url } = read;
  if (/[?#]/.test(text)) return { fault: 'must end with its path, without ? and #' };
  const written = text.replace(/^[^/]*\/\/[^/]*/, '').replace(/\/$/, '');
  const path = url.pathname.replace(/\/$/, '');
  if (written !== path || !/^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/.test(path))
    return { fault: 'has a path that is none of an API' };
  const fault = formFault(parts, url.hostname, path);
  return fault === null ? { value: `${url.origin}${path}` } : { fault };
}

function formFault({ kind, hasEmail }: BaseUrlParts, host: string, path: string): string | null {
  switch (kind) {
    case 'github':
      return githubFault(host, path);
    case 'gitlab':
      return path.endsWith('/api/v4') ? null : 'must end with /api/v4, as in https://gitlab.com/api/v4';
    case 'jira':
      return hasEmail ? cloudFault(host, path) : dataCenterFault(host, path);
  }
}

function githubFault(host: string, path: string): string | null {
  if (HOSTED_GITHUB.test(host)) return path === '' ? null : `must be https://${host} without a path`;
  if (/(^|\.)(github|ghe)\.com$/.test(host))
    return `must be the address of the API, such as https://api.${host.replace(/^www\./, '')}`;
  if (path.endsWith('/api/v3') || (path === '' && isLoopback(host))) return null;
  return 'must be https://api.github.com, or the address of an Enterprise Server with /api/v3 at its end';
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

/**
 * webHost gives the host (with its port, if it has one) on which people see the issues of a channel: a leading `api.` of a hosted
 * API is left out. Null under the gateway form, where only the tracker knows.
 */
export function webHost(channel: TrackerChannel): string | null {
  if (channel.kind === 'jira' && jiraForm(channel.settings) === 'gateway') return null;
  const { host } = new URL(channel.settings.apiBaseUrl);
  return channel.kind === 'github' && HOSTED_GITHUB.test(host) ? host.slice('api.'.length) : host;
}
