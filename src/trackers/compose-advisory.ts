import { advisoryUrl, type Cvss, type FoundAt } from '../findings/index.ts';
import { packageRow, type Described } from './compose-parts.ts';
import type { FoundPackage } from './compose-ports.ts';
import { foreign } from './inert.ts';
import { code, heading, line, link, type Block, type Inline, type Line } from '../text/index.ts';

const MAX_TITLE = 300;

/** aboutVulnerability says what the vulnerability is: its title, its rating with the vector, and where its advisory is. */
export function aboutVulnerability({ finding }: Described): readonly Block[] {
  const advisory = finding?.advisory ?? null;
  if (advisory === null) return [];
  const { title, cvss, url } = advisory;
  const items = [
    ...(title === null ? [] : [line('Title: ', code(foreign(title, MAX_TITLE)))]),
    ...(cvss === null ? [] : [cvssLine(cvss)]),
    ...(url === null ? [] : [line('Advisory: ', linked(url))]),
  ];
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}

function cvssLine({ version, score, vector, source }: Cvss): Line {
  const of = [...(version === null ? [] : [`version ${version}`]), ...(source === '' ? [] : ['rated by '])];
  return line(
    `CVSS: ${score.toFixed(1)}`,
    ...(of.length === 0 ? [] : [` (${of.join(', ')}`]),
    ...(source === '' ? [] : [code(foreign(source, 40))]),
    ...(of.length === 0 ? [] : [')']),
    ...(vector === null ? [] : [', ', code(foreign(vector, 300))]),
  );
}

/** Pages of trackers: an address of one makes a tracker write into the issue, request or commit that it leads to. */
const REFERS =
  /\/(?:-|issues?|pulls?|merge_requests|commits?|compare|discussions|epics|work_items|snippets|milestones|alerts|designs|browse|users|orgs)(?:\/|$)/i;

/**
 * The one link that a scan may set: https, and its text says to which host it leads. What is not such an address, or what a tracker would
 * take for a reference, is only shown.
 */
function linked(url: string): Inline {
  const href = advisoryUrl(url);
  if (href === null) return code(foreign(url, 500));
  const { host, pathname } = new URL(href);
  return REFERS.test(decoded(pathname))
    ? code(foreign(href, 500))
    : link(foreign(`${host}${pathname}`, 100), href);
}

/** Each escape by itself: one that is malformed must not hide what the others say. */
function decoded(path: string): string {
  return path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** whatToChange lists the packages that have it, with what repairs each and where in the image it is, as far as that is known. */
export function whatToChange({ finding }: Described): readonly Block[] {
  const packages = finding?.packages ?? [];
  if (packages.length === 0) return [];
  const isPlaced = packages.some(({ foundAt }) => placesOf(foundAt).length > 0);
  const isLayered = packages.some(({ foundAt }) => layersOf(foundAt).length > 0);
  const header = [
    ...[line('Package'), line('Installed'), line('Fixed in')],
    ...(isPlaced ? [line('In the image')] : []),
    ...(isLayered ? [line('Layer')] : []),
  ];
  const rows = packages.map((found: FoundPackage) => [
    ...packageRow(found),
    ...(isPlaced ? [listed(placesOf(found.foundAt), found.morePlaces)] : []),
    ...(isLayered ? [listed(layersOf(found.foundAt))] : []),
  ]);
  return [heading('What to change'), { kind: 'table', header, rows }];
}

/** The file where the scanner names one, else what it looked through. */
function placesOf(foundAt: readonly FoundAt[] = []): readonly string[] {
  return [...new Set(foundAt.flatMap(({ path, target }) => path ?? target ?? []))];
}

/** As much of a digest as tells the layers of an image apart. */
function layersOf(foundAt: readonly FoundAt[] = []): readonly string[] {
  return [...new Set(foundAt.flatMap(({ layer }) => (layer === null ? [] : [layer.slice(0, 19)])))];
}

function listed(values: readonly string[], more = 0): Line {
  if (values.length === 0) return line('–');
  return line(
    ...values.flatMap((value, at) => [...(at === 0 ? [] : [', ']), code(foreign(value))]),
    ...(more > 0 ? [` and ${more} more`] : []),
  );
}
