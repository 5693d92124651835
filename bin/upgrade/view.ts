import { wrapWords } from '../../src/render/index.ts';
import type { UpgradePlan, ValueFinding } from '../../src/releases/index.ts';
import { clean } from '../terminal/clean.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { DocumentFinding } from './documents.ts';

/** PlanBody is the plan as it is written. */
export interface PlanBody extends Omit<UpgradePlan, 'migrations' | 'values'> {
  /** Name and summary are null where no database was asked. */
  readonly migrations: readonly {
    readonly number: number;
    readonly name: string | null;
    readonly summary: string | null;
  }[];
  readonly values: UpgradePlan['values'] & {
    /** Null where no file of values was given. */
    readonly in_your_file: readonly ValueFinding[] | null;
  };
  /** Null where no database was asked. */
  readonly documents: readonly DocumentFinding[] | null;
  readonly steps: readonly string[];
}

interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
  /** Whether the lines are commands. */
  readonly isCode?: boolean;
}

const BACK =
  'Migrations go forward only. To return to an earlier release, restore a backup that was made under it (ipo backup restore).';
const ACTS = { remove: 'take it out', clear: 'clear it', repeat: 'complete it' } as const;

/** Where no database was asked their names are not known, and the numbers fit on one line. */
function migrationLines(ran: readonly string[], named: boolean): readonly string[] {
  if (ran.length === 0) return ['none'];
  return named ? ran : [ran.join(', ')];
}

function sections(body: PlanBody): readonly Section[] {
  const { from, to, direction, releases, migrations, chart, values, refused, documents, defect } = body;
  const stored: Section = {
    heading: 'Stored documents',
    lines: documents?.map(({ document, state, note }) => `${document} (${state}): ${note}`) ?? [],
  };
  if (direction === 'none')
    return [
      {
        heading: `${to} runs already`,
        lines: stored.lines.length === 0 ? ['There is nothing to do.'] : ['No upgrade is due.'],
      },
      stored,
    ].filter(({ lines }) => lines.length > 0);
  if (direction === 'back') return [{ heading: `From ${from} back to ${to}`, lines: [BACK] }];
  const notes = (all: UpgradePlan['refused']): string[] =>
    all.map(({ release, name, note }) => `${name} (${release}): ${note}`);
  const ran = migrations.map(({ number, name, summary }) => {
    const own = String(number).padStart(4, '0');
    return name === null ? own : `${name}: ${summary ?? ''}`;
  });
  const found = values.in_your_file;
  const all: Section[] = [
    { heading: `From ${from} to ${to}`, lines: [`over ${releases.join(', ')}`] },
    { heading: 'Do not stay on this release', lines: defect === null ? [] : [defect] },
    {
      heading: 'Migrations',
      lines: migrationLines(ran, documents !== null),
    },
    {
      heading: 'Chart',
      lines:
        chart.because.length === 0
          ? ['no release on the way needs a change of the chart other than the new image']
          : chart.because.map(({ release, reason }) => `must be upgraded: ${reason} (${release})`),
    },
    {
      heading: 'Values of your file to change',
      lines: found?.map(({ name, act, note }) => `${name}: ${ACTS[act]}; ${note}`) ?? [],
    },
    { heading: 'Values no longer read', lines: notes(values.unread) },
    { heading: 'List values to repeat: your list replaces that of the chart', lines: notes(values.repeated) },
    { heading: 'Values to clear', lines: notes(values.cleared) },
    {
      heading: 'New values, all with defaults',
      lines: values.added.map(({ name, release }) => `${name} (${release})`),
    },
    { heading: 'Rejected from then on', lines: notes(refused) },
    stored,
    { heading: 'Steps', lines: body.steps, isCode: true },
  ];
  return all.filter(({ lines }) => lines.length > 0);
}

/** toText writes it for a terminal. */
export function toText(body: PlanBody, { columns }: Pick<Terminal, 'columns'>): string {
  const width = Math.max(40, Math.min(Number.isFinite(columns) ? columns : 100, 110)) - 2;
  const parts = sections(body).map(({ heading, lines, isCode }) =>
    [
      heading,
      ...lines.flatMap((line) =>
        isCode === true
          ? [`  ${clean(line, 1000)}`]
          : wrapWords(clean(line, 1000), width - 2).map((part, i) => `${i === 0 ? '  ' : '    '}${part}`),
      ),
    ].join('\n'),
  );
  return `${parts.join('\n\n')}\n`;
}

/** toMarkdown writes it for a change request. */
export function toMarkdown(body: PlanBody): string {
  const parts = sections(body).map(({ heading, lines, isCode }, i) => {
    const title = `${i === 0 ? '##' : '###'} ${heading}\n\n`;
    if (isCode === true)
      return `${title}\`\`\`sh\n${lines.map((line) => clean(line, 1000)).join('\n')}\n\`\`\`\n`;
    return `${title}${lines.map((line) => `- ${clean(line, 1000).replaceAll(/[<>*_|`]/g, (sign) => `\\${sign}`)}`).join('\n')}\n`;
  });
  return parts.join('\n');
}
