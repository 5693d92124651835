import { formatDuration, formatMinute } from '../base/index.ts';
import type { FoundPackage, KnownFinding, KnownImage } from './compose-ports.ts';
import { foreign, isPlainId } from './inert.ts';
import { code, line, link, paragraph, type Block, type Inline, type Line } from '../text/index.ts';

/** Described is a finding with all that an issue can report it. */
export interface Described {
  readonly digest: string;
  readonly cve: string;
  readonly severity: string | null;
  /** When it was claimed, UTC milliseconds; the window counts from then. */
  readonly at: number;
  readonly image: KnownImage | null;
  readonly finding: KnownFinding | null;
  /** `YYYY-MM-DD`, or null. */
  readonly dueDate: string | null;
  /** The declared critical window in milliseconds, or null when none is declared. */
  readonly window: number | null;
}

/** nameOf is the name that an image goes by; its digest where it has none. */
export function nameOf({ image, digest }: Pick<Described, 'image' | 'digest'>): string {
  return foreign(image?.names[0] ?? digest);
}

/** cveOf shows a CVE; one that a public list explains leads there. */
export function cveOf(cve: string): Inline {
  if (/^CVE-\d{4}-\d{4,19}$/.test(cve)) return link(cve, `https://nvd.nist.gov/vuln/detail/${cve}`);
  if (/^GHSA(-[23456789cfghjmpqrvwx]{4}){3}$/.test(cve))
    return link(cve, `https://osv.dev/vulnerability/${cve}`);
  return code(foreign(cve, 100));
}

/** packageRow is a package as a row of cells: its name, what is installed, what repairs it. */
export function packageRow({ name, installed, fixed }: FoundPackage): readonly Line[] {
  return [
    line(code(foreign(name))),
    line(code(foreign(installed, 100))),
    fixed === null ? line('no version yet') : line(code(foreign(fixed, 100))),
  ];
}

/** exploited says that a finding is used by attackers, and until when it has to be repaired; nothing where that is not known. */
export function exploited({ finding, dueDate }: Described): readonly Block[] {
  if (finding?.knownExploited !== true) return [];
  return [
    paragraph(
      'It is exploited in the wild: the catalogue of known exploited vulnerabilities (KEV) lists it',
      dueDate === null ? '.' : `, due on ${dueDate}.`,
    ),
  ];
}

/** deadline says until when the declared window asks for a fix. */
export function deadline(window: number | null, since: number): Block {
  if (window === null) return paragraph('No remediation window for critical findings is declared.');
  return paragraph(
    `The declared window for critical findings is ${formatDuration(window)}: fix it by `,
    formatMinute(since + window),
    '.',
  );
}

/** ledgerOf refers to the decision on the image. */
export function ledgerOf(image: KnownImage | null): Line {
  const row = image?.ledger ?? null;
  return line(
    row === null
      ? 'the ledger has no decision on it yet'
      : `row ${row.id} of the ledger, ${formatMinute(row.at)}`,
  );
}

/**
 * triageCommand is what a person runs to take a finding out, or null where its id could do something else in a shell. It is run as it
 * stands, so nothing in it is shortened.
 */
export function triageCommand({
  digest,
  cve,
}: {
  readonly digest: string;
  readonly cve: string;
}): string | null {
  if (!isPlainId(cve) || !/^sha256:[0-9a-f]{64}$/.test(digest)) return null;
  return `ipo triage add ${digest} ${cve} --reason 'WHY IT DOES NOT COUNT' --for 720h`;
}

/** imageCommand shows an image. A digest as it is stored; whatever else stands in its place is run by nobody. */
export function imageCommand(digest: string): string {
  return `ipo images show ${/^sha256:[0-9a-f]{64}$/.test(digest) ? digest : 'DIGEST'}`;
}
