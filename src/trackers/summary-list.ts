import { nameOf, type Described } from './compose-parts.ts';
import { foreign } from './inert.ts';

/** Entry is a line of a plain list: it stands below the line that names its image. */
export interface Entry {
  readonly image: string;
  readonly text: string;
  /** Findings that the line names. */
  readonly findings: number;
}

/** Characters of a line: what a code block shows without a scroll bar. */
const WIDTH = 100;
const NAMESPACES = 5;

/** isExploited tells whether a finding is known to be exploited. */
export function isExploited({ finding }: Described): boolean {
  return finding?.knownExploited === true;
}

/**
 * listWithPackages lists findings by image and by what has to be updated: a line for each package with what is installed, what fixes it,
 * and its findings. A table says the same in ten times the space.
 */
export function listWithPackages(images: readonly (readonly Described[])[]): readonly Entry[] {
  return images.flatMap((findings) => {
    const [first] = findings;
    if (first === undefined) return [];
    const image = [...new Set([nameOf(first), foreign(first.digest)]), ...runsIn(first)].join('  ');
    return [...Map.groupBy(findings, packageOf)].flatMap(([name, all]) =>
      wrapped(`  ${name}: `, all.map(idOf)).map((line) => ({ image, ...line })),
    );
  });
}

/** listOfIds lists nothing but the ids of findings by image: what is left when the rest has to go elsewhere. */
export function listOfIds(images: readonly (readonly Described[])[]): readonly Entry[] {
  const named = Map.groupBy(images, ([first]) => (first === undefined ? '' : nameOf(first)));
  return images.flatMap((findings) => {
    const [first] = findings;
    if (first === undefined) return [];
    const name = nameOf(first);
    // A tag that was moved names several images.
    const image = (named.get(name) ?? []).length > 1 ? `${name}  ${foreign(first.digest, 20)}` : name;
    return wrapped('  ', findings.map(shortIdOf)).map((line) => ({ image, ...line }));
  });
}

/** textOf writes entries, each image's name before its first and at the beginning of the text. */
export function textOf(all: readonly Entry[], from: number, to: number): string {
  const lines: string[] = [];
  for (let at = from; at < to; at += 1) {
    const entry = all[at];
    if (entry === undefined) break;
    const isNew = at === 0 || all[at - 1]?.image !== entry.image;
    if (isNew || at === from) lines.push(isNew ? entry.image : `${entry.image} (continued)`);
    lines.push(entry.text);
  }
  return lines.join('\n');
}

function packageOf({ finding }: Described): string {
  const [first] = finding?.packages ?? [];
  if (first === undefined) return 'package not known any more';
  const { name, installed, fixed } = first;
  const to = fixed === null ? 'no fixed version yet' : foreign(fixed, 100);
  return `${foreign(name)} ${foreign(installed, 100)} -> ${to}`;
}

function idOf(described: Described): string {
  const more = (described.finding?.packages.length ?? 1) - 1;
  const others = more > 0 ? ` (+${more} ${more === 1 ? 'package' : 'packages'})` : '';
  return `${shortIdOf(described)}${others}`;
}

function shortIdOf(described: Described): string {
  const { cve, dueDate } = described;
  const due = dueDate === null ? '' : `, due ${dueDate}`;
  return `${foreign(cve, 100)}${isExploited(described) ? ` (exploited${due})` : ''}`;
}

function runsIn({ image }: Described): readonly string[] {
  const namespaces = image?.namespaces ?? [];
  if (namespaces.length === 0) return [];
  const shown = namespaces.slice(0, NAMESPACES).map((name) => foreign(name, 100));
  const more = namespaces.length - shown.length;
  return [`in ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
}

/** Puts ids behind a beginning, and into further lines where one gets too long. */
function wrapped(begin: string, ids: readonly string[]): readonly { text: string; findings: number }[] {
  const lines: { text: string; findings: number }[] = [];
  for (const id of ids) {
    const last = lines.at(-1);
    if (last === undefined) lines.push({ text: `${begin}${id}`, findings: 1 });
    else if (last.text.length + 2 + id.length <= WIDTH) {
      last.text += `, ${id}`;
      last.findings += 1;
    } else {
      last.text += ',';
      lines.push({ text: `      ${id}`, findings: 1 });
    }
  }
  return lines;
}
