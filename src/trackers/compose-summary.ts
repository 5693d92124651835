import type { Text } from './compose-issue.ts';
import { cveOf, deadline, ledgerOf, nameOf, packageRow, type Described } from './compose-parts.ts';
import { foreign } from './inert.ts';
import { isExploited, listOfIds, listWithPackages } from './summary-list.ts';
import { packFrom, packRest, type Frame, type Part } from './summary-pack.ts';
import type { SummaryRoom } from './text-room.ts';
import { code, heading, line, paragraph, type Block, type Line, type Piece } from '../text/index.ts';

/** Summary is the text of a first run's issue, and of the comments that continue it, in their order. */
export interface Summary extends Text {
  readonly more: readonly (readonly Block[])[];
}

/** A row of a table takes more than this in every tracker, so that tables of more rows need not be tried. */
const LEAST_ROW = 100;
/** As long as any number of comments, while that is not known. */
const MANY = 9999;

/**
 * composeSummary writes the one issue of a channel's first run: "files one summary issue listing all of them". Images with findings
 * that are exploited come first, then those with the most findings. Where tables do not fit, plain lists do; where not even these fit, the
 * issue names at least each finding, if it can, and comments have the rest. `why` follows the first paragraph.
 */
export function composeSummary(
  findings: readonly Described[],
  room: SummaryRoom,
  why: readonly Block[] = [],
): Summary {
  const images = byImage(findings);
  const count = `${findings.length} critical ${findings.length === 1 ? 'finding' : 'findings'}`;
  const title = `${count} in ${images.length} ${images.length === 1 ? 'image' : 'images'}`;
  const beginning = beginningOf(findings, title).toSpliced(1, 0, ...why);
  if (findings.length <= room.issue.max / LEAST_ROW) {
    const body = [...beginning, ...images.flatMap(imageBlocks), ...TRIAGE];
    if (room.issue.sizeOf(body) <= room.issue.max) return { title, body, more: [] };
  }
  const inIssue =
    (said: (part: Part) => readonly Block[]): Frame =>
    (part) => [...beginning, ...said(part), { kind: 'code', text: part.text }, ...TRIAGE];
  const inComment =
    (at: number, comments: number): Frame =>
    ({ text, first, last }) => [
      paragraph(
        `Findings ${first} to ${last} of ${findings.length}. Comment ${at} of ${comments} with the list.`,
      ),
      { kind: 'code', text },
    ];
  const commentsOf = (parts: readonly Part[]): readonly (readonly Block[])[] =>
    parts.map((part, at) => inComment(at + 1, parts.length)(part));

  const listed = listWithPackages(images);
  const whole = packFrom(
    listed,
    0,
    room.issue,
    inIssue(() => []),
  );
  if (whole.end === listed.length) return { title, body: inIssue(() => [])(whole), more: [] };

  const ids = listOfIds(images);
  const idsIn = (comments: number): Frame => inIssue(() => [paragraph(...packagesIn(comments))]);
  const named = packFrom(ids, 0, room.issue, idsIn(MANY));
  if (named.end === ids.length) {
    const more = commentsOf(packRest(listed, 0, room.comment, inComment(MANY, MANY)));
    return { title, body: idsIn(more.length)(named), more };
  }

  const partIn = (comments: number): Frame =>
    inIssue(({ last }) => [paragraph(...restIn(last, findings.length, comments))]);
  const first = packFrom(listed, 0, room.issue, partIn(MANY));
  const more = commentsOf(packRest(listed, first.end, room.comment, inComment(MANY, MANY)));
  return { title, body: partIn(more.length)(first), more };
}

function beginningOf(findings: readonly Described[], title: string): readonly Block[] {
  const exploited = findings.filter(isExploited).length;
  const oldest = findings.reduce((least, { at }) => Math.min(least, at), Infinity);
  const window = findings.reduce((least, one) => Math.min(least, one.window ?? Infinity), Infinity);
  return [
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
  ];
}

const TRIAGE: readonly Block[] = [
  heading('If a finding does not count here'),
  { kind: 'code', text: "ipo triage add DIGEST CVE --reason 'WHY IT DOES NOT COUNT' --for 720h" },
];

function followIn(comments: number): string {
  return comments === 1 ? 'follow in a comment' : `follow in ${comments} comments`;
}

function packagesIn(comments: number): readonly Piece[] {
  return [`The list has each finding. Digests, packages and versions ${followIn(comments)} on this issue.`];
}

function restIn(shown: number, all: number, comments: number): readonly Piece[] {
  return [
    `The list has the first ${shown} of ${all} findings. The others ${followIn(comments)} on this issue. `,
    code('ipo tracking list'),
    ' lists all of them too.',
  ];
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
