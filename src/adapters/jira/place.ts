import { TrackerError, type IssueRef } from '../../trackers/index.ts';
import { Key } from './schema.ts';

/** toProjectKey checks the key of a project. Throws TrackerError `invalid`, so that nothing odd comes into a query or path. */
export function toProjectKey(target: string): string {
  if (/^[A-Z][A-Z0-9_]{1,254}$/.test(target)) return target;
  throw new TrackerError(
    'invalid',
    'the key of a Jira project begins with a capital letter and has only capital letters, digits and _',
    {
      happened: 'no',
    },
  );
}

/** toIssueId is what an issue is asked for by: its number, which stays when it is moved, else its key. Throws as toProjectKey. */
export function toIssueId({ id, key }: Pick<IssueRef, 'id' | 'key'>): string {
  if (/^\d{1,20}$/.test(id)) return id;
  if (Key.safeParse(key).success) return key;
  throw new TrackerError('invalid', 'the issue is named neither by its number nor by its key', {
    happened: 'no',
  });
}

/** isGateway tells the gateway's form of an address, `https://api.atlassian.com/ex/jira/<cloudId>`, by its path. */
export function isGateway({ pathname }: URL): boolean {
  return /^\/ex\/[a-z-]+\/[^/]+\/?$/.test(pathname);
}

/** toSite checks the address of a site that a gateway gave; null for what is none. */
export function toSite(baseUrl: string): string | null {
  if (!/^https?:\/\/[^\s@"'<>\\?#]+$/.test(baseUrl) || !URL.canParse(baseUrl)) return null;
  return baseUrl.replace(/\/+$/, '');
}

/** hostOf is the host of an address, with its port; null for what is not an address. */
export function hostOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).host : null;
}

/** toLabel makes a label that Jira takes: without blanks, at most 255 characters. */
export function toLabel(label: string): string {
  return label.trim().replaceAll(/\s+/gu, '-').slice(0, 255);
}
