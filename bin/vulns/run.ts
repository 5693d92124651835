import type { VulnerabilityBody } from '../../src/api/contract/vulnerabilities.ts';
import { counted, formatCount } from '../../src/render/index.ts';
import {
  ANSWER_FORMATS,
  markdownLines,
  tableLines,
  writeAnswer,
  type ViewColumn,
} from '../terminal/answer.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { exploitedText, severityPaint, WIDE } from '../images/finding-columns.ts';
import { findImage } from '../service/find-image.ts';
import { parseOutputs } from '../terminal/output.ts';
import { parsePaging } from '../terminal/paging.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import type { Paint } from '../terminal/paint.ts';
import type { PagingFlags } from '../terminal/paging-flags.ts';
import type { ServiceFlags } from '../service/index.ts';

/** VulnsOptions are the flags of `ipo vulns`. */
export interface VulnsOptions extends ServiceFlags, PagingFlags {
  readonly severity?: string;
  readonly knownExploited?: string;
  readonly fixable?: string;
  readonly triaged?: string;
  readonly image?: string;
  readonly namespace?: string;
  readonly search?: string;
  readonly sort?: string;
  readonly order?: string;
  readonly output: readonly string[];
}

const CVSS: ViewColumn<VulnerabilityBody> = {
  heading: 'CVSS',
  align: 'right',
  text: ({ cvss }) => cvss?.score.toFixed(1) ?? '–',
};
const TITLE: ViewColumn<VulnerabilityBody> = { heading: 'title', flex: 3, text: ({ title }) => title ?? '–' };

/** Columns that nothing stands in are left out. */
const columnsOf = (
  items: readonly VulnerabilityBody[],
  wide: boolean,
): readonly ViewColumn<VulnerabilityBody>[] => [
  {
    heading: 'severity',
    text: ({ severity }) => severity,
    paint: ({ severity }, paint) => severityPaint(severity, paint),
  },
  { heading: 'CVE', text: ({ cve }) => cve },
  ...(items.some(({ cvss }) => cvss) ? [CVSS] : []),
  { heading: 'images', align: 'right', text: ({ images }) => formatCount(images) },
  {
    heading: 'triaged',
    align: 'right',
    text: ({ triaged_images }) => (triaged_images === 0 ? '' : formatCount(triaged_images)),
  },
  {
    heading: 'KEV',
    text: ({ known_exploited }) => exploitedText(known_exploited),
  },
  {
    heading: 'packages',
    flex: 2,
    cutsEnd: true,
    text: ({ packages }) => packages.map(({ name }) => name).join(', ') || '–',
  },
  {
    heading: 'fixed in',
    flex: 1,
    cutsEnd: true,
    text: ({ packages }) => [...new Set(packages.flatMap(({ fixed }) => fixed))].join(', ') || '–',
  },
  ...(wide && items.some(({ title }) => title) ? [TITLE] : []),
];

/** runVulns is `ipo vulns`. */
export async function runVulns(
  options: VulnsOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const { severity, fixable, triaged, image, namespace, sort, order } = options;
  const paging = parsePaging(options);
  const query = (digest: string | undefined) => ({
    severity: severity?.toUpperCase(),
    known_exploited: options.knownExploited,
    fixable,
    triaged,
    image: digest,
    namespace,
    q: options.search,
    sort,
    order,
    ...paging,
  });
  const answer = await withService(terminal, options, async (service) => {
    const digest = image === undefined ? undefined : await findImage(service, image);
    return service.json<{ items: VulnerabilityBody[]; total: number }>('GET /vulnerabilities', {
      query: query(digest),
    });
  });
  const { items, total } = answer.body;
  const left = total - items.length;
  const sum = `${counted(total, 'vulnerability', 'vulnerabilities')}${left > 0 ? `; ${formatCount(left)} not shown, see --limit and --offset` : ''}`;
  const views = {
    table: (paint: Paint) => [
      ...(items.length === 0 ? [] : tableLines(paint, columnsOf(items, paint.columns >= WIDE), items)),
      sum,
    ],
    markdown: () => [
      ...markdownLines(columnsOf(items, true), items),
      ...(items.length === 0 ? [] : ['']),
      sum,
    ],
  };
  await writeAnswer(targets, answer, views, terminal, globals);
  return EXIT.done;
}
