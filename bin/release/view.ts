import { wrapWords } from '../../src/render/index.ts';
import type { Release, ReleaseNote } from '../../src/releases/index.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** migrationsText writes the migrations of a release: `0033–0035`, `0025`, or a dash for none. */
function migrationsText({ migrations }: Pick<Release, 'migrations'>): string {
  if (migrations === null) return '–';
  const [first, last] = migrations.map((number) => String(number).padStart(4, '0'));
  return first === last ? `${first}` : `${first}–${last}`;
}

/** toSummary gives the cells of a release in a list. */
export function toSummary(release: Release): string[] {
  const { version, date, chart, substance } = release;
  return [version, date, migrationsText(release), chart === null ? '–' : 'must be upgraded', substance];
}

/** Things to know of a release, each list under its heading. */
function lists(release: Release): readonly (readonly [heading: string, lines: readonly string[]])[] {
  const { chart, newValues, unreadValues, repeatedValues, clearedValues, refused, defect } = release;
  const notes = (all: readonly ReleaseNote[]): readonly string[] =>
    all.map(({ name, note }) => `${name}: ${note}`);
  const all: (readonly [string, readonly string[]])[] = [
    ['Do not stay on this release', defect === null ? [] : [defect]],
    ['Upgrade the chart with the image', chart === null ? [] : [chart]],
    ['Chart values no longer read', notes(unreadValues)],
    ['Chart values to repeat', notes(repeatedValues)],
    ['Chart values to clear', notes(clearedValues)],
    ['New chart values', newValues],
    ['Rejected from this release on', notes(refused)],
  ];
  return all.filter(([, lines]) => lines.length > 0);
}

/** toLines writes one release for a terminal. */
export function toLines(release: Release, { columns }: Pick<Terminal, 'columns'>): string {
  const width = Math.max(40, Math.min(Number.isFinite(columns) ? columns : 100, 110)) - 2;
  const wrapped = (text: string): string[] => wrapWords(text, width - 2);
  return [
    `${release.version}  ${release.date}  migrations: ${migrationsText(release)}`,
    '',
    ...wrapped(release.substance).map((line) => `  ${line}`),
    ...lists(release).flatMap(([heading, lines]) => [
      '',
      heading,
      ...lines.flatMap((line) => wrapped(line).map((part, i) => `${i === 0 ? '- ' : '  '}${part}`)),
    ]),
    '',
  ].join('\n');
}

/** toMarkdown writes the notes of releases. */
export function toMarkdown(releases: readonly Release[]): string {
  if (releases.length === 0) return 'No release lies in this range.\n';
  const parts = releases.map((release) => {
    const { version, date, substance } = release;
    const more = lists(release).map(
      ([heading, lines]) => `\n### ${heading}\n\n${lines.map((line) => `- ${escaped(line)}`).join('\n')}\n`,
    );
    return `## ${version} (${date})\n\n${escaped(substance)}\n\nMigrations: ${migrationsText(release)}\n${more.join('')}`;
  });
  return parts.join('\n');
}

/** A placeholder would be taken for a tag, and a star for emphasis. */
function escaped(text: string): string {
  return text.replaceAll(/[<>*_]/g, (sign) => `\\${sign}`);
}
