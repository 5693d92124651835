import type { ImageDetailBody } from '../../src/api/contract/images.ts';
import { shortTime } from '../../src/whatif/report/index.ts';
import { flagText, type ViewColumn } from '../terminal/answer.ts';
import type { Paint } from '../terminal/paint.ts';

/** WIDE is the width from which on a terminal has room for what else is known. */
export const WIDE = 130;

/** severityPaint is the colour of a severity. */
export function severityPaint(severity: string, { chalk }: Paint): (text: string) => string {
  if (severity === 'CRITICAL') return chalk.red;
  return severity === 'HIGH' ? chalk.yellow : String;
}

/** exploitedText tells whether a CVE is known to be exploited. */
export const exploitedText = (known: boolean | null): string =>
  flagText(known, { yes: 'yes', no: '', unknown: '?' });

type Finding = NonNullable<ImageDetailBody['findings']>[number];

const CVSS: ViewColumn<Finding> = {
  heading: 'CVSS',
  align: 'right',
  text: ({ cvss }) => cvss?.score.toFixed(1) ?? '–',
};

/** What it is and where in the image; a narrow terminal has no room for it, and the JSON has the layer and the advisory too. */
const ABOUT: readonly ViewColumn<Finding>[] = [
  { heading: 'title', flex: 3, text: ({ title }) => title ?? '–' },
  { heading: 'in the image', flex: 2, text: ({ found_at }) => found_at?.path ?? found_at?.target ?? '–' },
];

/**
 * findingColumns draw the findings of an image. An end that has passed is marked as expired, since a bare date would look as if it still
 * applied.
 */
export const findingColumns = (
  triaged: ReadonlySet<string>,
  findings: readonly Finding[],
  wide: boolean,
): readonly ViewColumn<Finding>[] => [
  {
    heading: 'severity',
    text: ({ severity }) => severity,
    paint: ({ severity }, paint) => severityPaint(severity, paint),
  },
  { heading: 'CVE', text: ({ cve }) => cve },
  ...(findings.some(({ cvss }) => cvss) ? [CVSS] : []),
  { heading: 'package', flex: 2, text: (finding) => finding.package },
  { heading: 'installed', flex: 1, text: ({ installed }) => installed || '–' },
  { heading: 'fixed in', flex: 1, text: ({ fixed }) => fixed ?? '–' },
  {
    heading: 'KEV',
    text: ({ known_exploited }) => exploitedText(known_exploited),
  },
  {
    heading: 'triaged until (UTC)',
    text: ({ cve, triaged_until: until }) => {
      if (until === null) return '';
      return triaged.has(cve) ? shortTime(until) : 'expired';
    },
  },
  ...(wide && findings.some(({ title, found_at }) => title || found_at) ? ABOUT : []),
];
