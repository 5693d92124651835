import { TrackerError } from '../../trackers/index.ts';

/** Place is an issue by its project (whole path, or number as text) and its number in it. */
export interface Place {
  readonly project: string;
  readonly iid: number;
}

const SEGMENT = /^(?!\.{1,2}$)[\w.-]{1,255}$/u;

/** toProject reads a project: `group/sub/name`, or a number. Throws TrackerError `invalid` for anything else. */
export function toProject(target: string): string {
  const segments = target.split('/');
  const path = segments.length >= 2 && segments.length <= 25 && segments.every((one) => SEGMENT.test(one));
  if (path || /^[1-9]\d{0,14}$/.test(target)) return target;
  throw new TrackerError('invalid', 'the project is neither a whole path with its groups nor a number', {
    happened: 'no',
  });
}

/** toPlace reads `group/name#12` or `1234#12`. Throws as toProject. */
export function toPlace(key: string): Place {
  const [, target = '', iid = ''] = /^([^#]+)#([1-9]\d{0,14})$/.exec(key) ?? [];
  return { project: toProject(target), iid: Number(iid) };
}

/** toKey is what people read, and what toPlace reads back. */
export function toKey({ project, iid }: Place): string {
  return `${project}#${iid}`;
}

/** toLink is the issue's address for browsers: as the provider gives it, or made from the base where that is none. */
export function toLink(url: string, base: URL, { project, iid }: Place): string {
  if (/^https?:\/\/[^\s@"'<>\\]+$/.test(url) && URL.canParse(url)) return url;
  return `${base.href.replace(/\/api\/v4\/?$/, '')}/${project}/-/issues/${iid}`;
}

/** placeOfLink tells which issue an address for browsers means; null when it means none of this instance. */
export function placeOfLink(url: string, base: URL): Place | null {
  const root = base.href.replace(/\/api\/v4\/?$/, '');
  if (!url.startsWith(`${root}/`)) return null;
  const [, path = '', iid = ''] =
    /^\/(.+)\/-\/(?:issues|work_items)\/([1-9]\d{0,14})$/.exec(url.slice(root.length)) ?? [];
  try {
    return { project: toProject(path), iid: Number(iid) };
  } catch {
    return null;
  }
}

/** movedIssue is the issue that a redirect of this instance points to; null for anything else. */
export function movedIssue(location: string | undefined, base: URL): Place | null {
  if (location === undefined || !URL.canParse(location, base.href)) return null;
  const { origin, pathname } = new URL(location, base);
  const root = base.pathname.replace(/\/$/, '');
  if (origin !== base.origin || !pathname.startsWith(`${root}/`)) return null;
  const [, project = '', iid = ''] =
    /^\/projects\/([1-9]\d{0,14})\/issues\/([1-9]\d{0,14})$/.exec(pathname.slice(root.length)) ?? [];
  return project === '' ? null : { project, iid: Number(iid) };
}
