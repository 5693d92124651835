import type { DescribedScans } from '../../src/app/index.ts';
import { SEVERITY_NAMES } from '../../src/findings/index.ts';
import { formatCount } from '../../src/render/index.ts';
import {
  flagText,
  imageColumn,
  markdownLines,
  tableLines,
  type AnswerViews,
  type ViewColumn,
} from '../terminal/answer.ts';

/** ShownScan is a scan with the file that it came from. */
export type ShownScan = DescribedScans['scans'][number] & { readonly file: string };

const COLUMNS: readonly ViewColumn<ShownScan>[] = [
  imageColumn(3, ({ image }) => image),
  { heading: 'digest', text: ({ digest }) => digest?.slice(7, 19) ?? '–' },
  { heading: 'system', flex: 1, text: ({ os }) => (os === null ? '–' : `${os.family} ${os.name}`.trim()) },
  {
    heading: 'EOL',
    text: ({ end_of_life }) => flagText(end_of_life, { yes: 'yes', no: 'no', unknown: '–' }),
    paint: ({ end_of_life }, { chalk }) => (end_of_life === true ? chalk.red : String),
  },
  ...SEVERITY_NAMES.map((severity): ViewColumn<ShownScan> => ({
    heading: severity === 'medium' ? 'med' : severity.slice(0, 4),
    align: 'right',
    text: ({ findings }) => (findings === null ? '–' : formatCount(findings[severity])),
  })),
  {
    heading: '',
    text: wordOf,
    paint: (scan, { chalk }) => (scan.outcome === 'current' ? chalk.green : chalk.yellow),
  },
];

/** scanViews draw what reports say, one line for each digest. */
export function scanViews(scans: readonly ShownScan[]): AnswerViews {
  const hints = [...new Set(scans.flatMap((scan) => HINTS[wordOf(scan)] ?? []))];
  const below = hints.length === 0 ? [] : ['', ...hints];
  return {
    table: (paint) => [...tableLines(paint, COLUMNS, scans), ...below],
    markdown: () => [...markdownLines(COLUMNS, scans), ...below],
  };
}

const HINTS: Readonly<Record<string, string>> = {
  incomplete:
    'incomplete: the scan found no packages, so it shows nothing about vulnerabilities and is not used',
  'other platform':
    'other platform: the image has several platforms, and the scan is for one that no node has, or for none',
  older: 'older: a later scan of this image, or one with a newer database, stays in use',
};

function wordOf({ outcome, findings, replaced }: ShownScan): string {
  if (outcome === 'current') return replaced ? 'replaced' : 'recorded';
  if (outcome === null) return findings === null ? 'incomplete' : '';
  return outcome.replace('_', ' ');
}
