import type { Text } from './compose-issue.ts';
import { cveOf, deadline, ledgerOf, nameOf, packageRow, type Described } from './compose-parts.ts';
import { foreign } from './inert.ts';
import { code, heading, line, paragraph, type Block, type Line } from './text.ts';

/**
 * composeSummary writes the one issue of a channel's first run: "files one summary issue listing all of them". Images with findings
 * that are exploited come first, then those with the most findings; a tracker that takes no more text cuts the end and says how much.
 */
export function composeSummary(findings: readonly Described[]): Text {
  const images = byImage(findings);
  const count = `${findings.length} critical ${findings.length === 1 ? 'finding' : 'findings'}`;
  const title = `${count} in ${images.length} ${images.length === 1 ? 'image' : 'images'}`;
  const exploited = findings.filter(isExploited).length;
  const oldest = findings.reduce((least, { at }) => Math.min(least, at), Infinity);
  const window = findings.reduce((least, one) => Math.min(least, one.window ?? Infinity), Infinity);
  return {
    title,
    body: [
      paragraph(
        `The first run of this channel found ${title.replace(' in ', ', open in ')}. `,
        'Findings that are found from now on get an issue each.',
      ),
      ...(exploited === 0
        ? []
        : [
            paragraph(
              `${exploited} of them ${exploited === 1 ? 'is' : 'are'} exploited in the wild, as the catalogue of known exploited vulnerabilities (KEV) says.`,
            ),
          ]),
      deadline(window === Infinity ? null : window, oldest),
      paragraph(
        'A comment names each finding that ends, with its reason (fixed, triaged or image_retired). ',
        'This issue is closed with the last of them.',
      ),
      ...images.flatMap(imageBlocks),
      heading('If a finding does not count here'),
      { kind: 'code', text: "ipo triage add DIGEST CVE --reason 'WHY IT DOES NOT COUNT' --for 720h" },
    ],
  };
}

function isExploited({ finding }: Described): boolean {
  return finding?.knownExploited === true;
}

function byImage(findings: readonly Described[]): readonly (readonly Described[])[] {
  const images = Map.groupBy(findings, ({ digest }) => digest);
  const used = (all: readonly Described[]): number => Number(all.some(isExploited));
  return [...images.values()].toSorted((a, b) => used(b) - used(a) || b.length - a.length);
}

function imageBlocks(findings: readonly Described[]): readonly Block[] {
  const [first] = findings;
  if (first === undefined) return [];
  const { image, digest } = first;
  const header = ['CVE', 'Package', 'Installed', 'Fixed in', 'Exploited'].map((name) => line(name));
  const rows = findings
    .toSorted((a, b) => Number(isExploited(b)) - Number(isExploited(a)))
    .map((described) => [
      line(cveOf(described.cve)),
      ...packageCells(described),
      line(exploitedCell(described)),
    ]);
  return [
    heading(code(nameOf(first))),
    paragraph(code(foreign(digest)), '; ', ...runsIn(image?.namespaces ?? []), '; ', ...ledgerOf(image), '.'),
    { kind: 'table', header, rows },
  ];
}

const SHOWN = 5;

function runsIn(namespaces: readonly string[]): Line {
  if (namespaces.length === 0) return line('not seen in a cluster yet');
  const more = namespaces.length - SHOWN;
  return line(
    'in ',
    ...namespaces
      .slice(0, SHOWN)
      .flatMap((name, at) => [...(at === 0 ? [] : [', ']), code(foreign(name, 100))]),
    ...(more > 0 ? [` and ${more} more namespaces`] : []),
  );
}

function packageCells({ finding }: Described): readonly Line[] {
  const [first, ...others] = finding?.packages ?? [];
  if (first === undefined) return [line('not known any more'), line('–'), line('–')];
  const [name = [], ...cells] = packageRow(first);
  return [others.length === 0 ? name : [...name, ...line(` and ${others.length} more`)], ...cells];
}

function exploitedCell({ finding, dueDate }: Described): string {
  if (finding?.knownExploited !== true) return finding?.knownExploited === false ? 'no' : 'not known';
  return dueDate === null ? 'yes' : `yes, due on ${dueDate}`;
}
