import { TrackerError } from '../../trackers/index.ts';

/** Repo is a repository by its owner and name. */
export type Repo = { readonly owner: string; readonly repo: string };

/** Place is an issue by its repository and number. */
export type Place = Repo & { readonly number: number };

const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,100}$/;

/** toRepo reads `owner/name`. Throws TrackerError `invalid` for anything else, so that nothing odd comes into a path. */
export function toRepo(target: string): Repo {
  const [owner = '', repo = '', ...rest] = target.split('/');
  if (rest.length === 0 && SEGMENT.test(owner) && SEGMENT.test(repo)) return { owner, repo };
  throw new TrackerError('invalid', 'the repository is not named as owner/name', { happened: 'no' });
}

/** toPlace reads `owner/name#12`. Throws as toRepo. */
export function toPlace(key: string): Place {
  const [, target = '', number = ''] = /^([^#]+)#([1-9]\d{0,14})$/.exec(key) ?? [];
  return { ...toRepo(target), number: Number(number) };
}

/** toKey is what people read, and what toPlace reads back. */
export function toKey({ owner, repo, number }: Place): string {
  return `${owner}/${repo}#${number}`;
}

/** toLink is the issue's address for browsers: the provider's own, or made from the host where that is none. */
export function toLink(url: string, base: URL, { owner, repo, number }: Place): string {
  if (/^https?:\/\/[^\s@"'<>\\]+$/.test(url) && URL.canParse(url)) return url;
  return `${base.protocol}//${base.host.replace(/^api\./, '')}/${owner}/${repo}/issues/${number}`;
}

/** placeOfLink tells which issue an address for browsers means; null when it means none. */
export function placeOfLink(url: string): Place | null {
  const [, owner = '', repo = '', number = ''] =
    /\/([^/?#]+)\/([^/?#]+)\/issues\/([1-9]\d{0,14})$/.exec(url) ?? [];
  return SEGMENT.test(owner) && SEGMENT.test(repo) ? { owner, repo, number: Number(number) } : null;
}

/**
 * movedIssue is the path, under the base, of the issue that a redirect points to; null when it points to another host or to something that
 * is not an issue.
 */
export function movedIssue(location: string | undefined, base: URL): string | null {
  if (location === undefined || !URL.canParse(location, base.href)) return null;
  const { origin, pathname } = new URL(location, base);
  const root = base.pathname.replace(/\/$/, '');
  if (origin !== base.origin || !pathname.startsWith(`${root}/`)) return null;
  const path = pathname.slice(root.length);
  return /^\/(?:repositories\/\d{1,15}|repos\/[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+)\/issues\/\d{1,15}$/.test(path)
    ? path
    : null;
}
