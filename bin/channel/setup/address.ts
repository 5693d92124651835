import { TRACKER_KINDS, trackerOf, type TokenLook, type TrackerKind } from '../../../src/channels/index.ts';

/**
 * toApiUrl makes the address of the API from what a person enters, who may have copied that of a page. What it cannot make out is given
 * back as it is, so that the channel's own check says what is wrong.
 */
export function toApiUrl(kind: TrackerKind, entered: string): string {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(entered) ? entered.trim() : `https://${entered.trim()}`;
  if (!URL.canParse(text)) return entered;
  const page = new URL(text);
  return trackerOf(kind).setup.toApiUrl(page, page.pathname.replace(/\/+$/, ''));
}

/** toTarget takes the repository or project out of what a person enters, also where it is the address of its page. */
export function toTarget(kind: TrackerKind, entered: string): string {
  const text = entered.trim();
  const path = /^https?:\/\/[^/]+\/(.*)$/i.exec(text)?.[1] ?? text;
  const steps = path
    .replace(/[?#].*$/, '')
    .split('/')
    .filter((step) => step !== '');
  return trackerOf(kind).setup.toTarget(path, steps);
}

/** isCloud tells a site or the gateway of Jira Cloud by its address. */
export function isCloud(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, pathname } = new URL(url);
  return (
    /\.(atlassian\.net|jira\.com)$|^api\.atlassian\.com$/.test(hostname) || pathname.startsWith('/ex/jira/')
  );
}

/** Look is what kind of token a credential looks like. */
export interface Look extends TokenLook {
  readonly kind: TrackerKind;
}

/** lookOf tells what kind of token a credential looks like; null where its look says nothing. */
export function lookOf(credential: string): Look | null {
  const looks = TRACKER_KINDS.flatMap((kind) =>
    trackerOf(kind).setup.looks.map((look) => ({ ...look, kind })),
  );
  return looks.find(({ form }) => form.test(credential)) ?? null;
}
