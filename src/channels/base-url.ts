import type { TrackerChannel } from './channel.ts';
import { trackerOf, type TrackerKind } from './kinds.ts';
import { readApiUrl, type Said } from './outbound-url.ts';
import type { ChannelRules } from './rules.ts';

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
export function readBaseUrl(
  text: string,
  { kind, hasEmail }: BaseUrlParts,
  rules: ChannelRules,
): Said<string> {
  return readApiUrl(text, (host, path) => trackerOf(kind).addressFault(host, path, hasEmail), rules);
}

/**
 * webHost gives the host (with its port, if it has one) on which people see the issues of a channel: a leading `api.` of a hosted
 * API is left out. Null under the gateway form of Jira, where only the tracker knows.
 */
export function webHost({ kind, settings }: TrackerChannel): string | null {
  return trackerOf(kind).webHost(settings);
}
