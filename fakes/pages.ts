import { wholeNumber, type WireRequest } from './wire.ts';

/** Page is a part of a list as GitHub and GitLab cut it, with the `link` header that leads on. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly perPage: number;
  readonly pages: number;
  readonly total: number;
  readonly link: string | null;
}

/** cutPage cuts a list by `page` and `per_page`; `url` is the address of the list, without a query. */
export function cutPage<T>(all: readonly T[], request: WireRequest, absent: number, url: string): Page<T> {
  const perPage = Math.max(1, wholeNumber(request.query.get('per_page'), absent, 100));
  const page = Math.max(1, wholeNumber(request.query.get('page'), 1, 1_000_000));
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  const to = (number: number, rel: string): string => {
    const query = new URLSearchParams(request.query);
    query.set('page', String(number));
    query.set('per_page', String(perPage));
    return `<${url}?${query.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [to(page - 1, 'prev')] : []),
    ...(page < pages ? [to(page + 1, 'next'), to(pages, 'last')] : []),
    ...(page > 1 ? [to(1, 'first')] : []),
  ];
  const items = all.slice((page - 1) * perPage, page * perPage);
  return {
    items,
    page,
    perPage,
    pages,
    total: all.length,
    link: links.length === 0 ? null : links.join(', '),
  };
}
