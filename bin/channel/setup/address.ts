import type { TrackerKind } from '../../../src/channels/index.ts';

/** STANDARD_URLS are the addresses that are offered first. */
export const STANDARD_URLS: Readonly<Record<TrackerKind, string | undefined>> = {
  github: 'https://api.github.com',
  gitlab: 'https://gitlab.com/api/v4',
  jira: undefined,
};

/**
 * toApiUrl makes the address of the API from what a person enters, who may have copied that of a page. What it cannot make out is given
 * back as it is, so that the channel's own check says what is wrong.
 */
export function toApiUrl(kind: TrackerKind, entered: string): string {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(entered) ? entered.trim() : `https://${entered.trim()}`;
  if (!URL.canParse(text)) return entered;
  const { origin, protocol, host, hostname, pathname } = new URL(text);
  const path = pathname.replace(/\/+$/, '');
  if (kind === 'github') {
    if (/^(www\.)?github\.com$/.test(hostname)) return 'https://api.github.com';
    if (/^[a-z0-9-]+\.ghe\.com$/.test(hostname) && hostname !== 'api.ghe.com')
      return `${protocol}//api.${host}`;
    if (/^api\.(github\.com|[a-z0-9-]+\.ghe\.com)$/.test(hostname)) return origin;
    const root = /^(.*)\/api\/v3$/.exec(path);
    return root === null && /^(127\.|\[::1\])/.test(hostname) ? origin : `${origin}${root?.[1] ?? ''}/api/v3`;
  }
  if (kind === 'gitlab') {
    const root = /^(.*?)\/api\/v4(\/.*)?$/.exec(path);
    return `${origin}${root === null ? '' : (root[1] ?? '')}/api/v4`;
  }
  if (/\.(atlassian\.net|jira\.com)$/.test(hostname)) return origin;
  return `${origin}${path.replace(/\/(rest|browse|projects|secure)(\/.*)?$/, '')}`;
}

/** toTarget takes the repository or project out of what a person enters, also where it is the address of its page. */
export function toTarget(kind: TrackerKind, entered: string): string {
  const text = entered.trim();
  const path = /^https?:\/\/[^/]+\/(.*)$/i.exec(text)?.[1] ?? text;
  const steps = path
    .replace(/[?#].*$/, '')
    .split('/')
    .filter((step) => step !== '');
  if (kind === 'jira') {
    const [, key = path] = /^(?:.*\/)?(?:browse|projects)\/([A-Za-z][A-Za-z0-9_]*)/.exec(path) ?? [];
    return key.toUpperCase();
  }
  const dash = steps.indexOf('-');
  const kept = kind === 'github' ? steps.slice(0, 2) : dash === -1 ? steps : steps.slice(0, dash);
  return kept.join('/').replace(/\.git$/, '');
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
export interface Look {
  readonly kind: TrackerKind;
  readonly name: string;
  /** False for one that is made for something else than the API. */
  readonly usable: boolean;
}

const LOOKS: readonly (readonly [form: RegExp, look: Look])[] = [
  [/^github_pat_/, { kind: 'github', name: 'a fine-grained token of GitHub', usable: true }],
  [/^ghp_/, { kind: 'github', name: 'a classic token of GitHub', usable: true }],
  [
    /^gh[ousr]_/,
    { kind: 'github', name: 'a token of a GitHub app or sign-in, which ends soon', usable: false },
  ],
  [/^glpat-/, { kind: 'gitlab', name: 'an access token of GitLab', usable: true }],
  [
    /^(gldt|glrt|glptt|glcbt|glft|glsoat)-/,
    { kind: 'gitlab', name: 'a token of GitLab that is not for its API', usable: false },
  ],
  [/^ATATT/, { kind: 'jira', name: 'an API token of Atlassian', usable: true }],
];

/** lookOf tells what kind of token a credential looks like; null where its look says nothing. */
export function lookOf(credential: string): Look | null {
  return LOOKS.find(([form]) => form.test(credential))?.[1] ?? null;
}
