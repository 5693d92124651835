import type { LicenceBody } from '../../src/api/contract/licence.ts';
import { decompressed } from '../../src/app/index.ts';
import { formatTime, isIpoError, parseTime, printable, type IpoError } from '../../src/base/index.ts';
import { parseReference } from '../../src/image/index.ts';
import {
  parseVkey,
  readExport,
  type LedgerExport,
  type LedgerRow,
  type NoteKey,
} from '../../src/ledger/index.ts';
import {
  openCertificate,
  readUnverified,
  refusalsOf,
  replayCeiling,
  type Certificate,
  type CeilingRow,
  type CeilingWhatIf,
  type CertificateBody,
  type Expected,
} from '../../src/licence/index.ts';
import { monthEnd, monthOf, monthStart } from '../../src/nodes/index.ts';
import { withService } from '../service/client.ts';
import type { ServiceFlags } from '../service/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { openParts } from '../terminal/parts.ts';
import { renderRows, shortMoment } from '../terminal/rows.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { MAX_FILE, readRequest, sourceName } from './of-file.ts';

/** LicenceCheckOptions are the flags of `ipo licence check`. */
export interface LicenceCheckOptions extends Omit<ServiceFlags, 'server'> {
  readonly server?: string | true;
  readonly publicKey?: readonly string[];
  readonly request?: string;
  readonly clusterId?: string;
  readonly ledger?: string;
  readonly month?: string;
  readonly output: readonly string[];
}

/** Checked is whom the certificate is checked for, and what its ceiling is replayed over. */
interface Checked {
  readonly keys: readonly NoteKey[] | null;
  readonly expected: Partial<Expected>;
  readonly rows: MonthRows | null;
  readonly month: string;
}

/** MonthRows is the admissions of a month, and how much of the month the export holds. */
interface MonthRows {
  readonly rows: readonly CeilingRow[];
  readonly covered: Covered;
}

type Covered = 'whole' | 'part' | 'none';

/** runLicenceCheck is `ipo licence check`. Exit 1 when the certificate would be denied. */
export async function runLicenceCheck(
  file: string,
  options: LicenceCheckOptions,
  terminal: Terminal,
  { quiet }: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const text = await openParts(terminal).readText(file, MAX_FILE);
  const now = openParts(terminal).clock.now();
  const month = options.month ?? monthOf(monthStart(now) - 1);
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new UsageError(`--month ${printable(month) || '""'} is not a month`, 'Write it as 2026-10');
  if (options.month !== undefined && options.ledger === undefined && options.server === undefined)
    throw new UsageError(
      '--month has no effect: no admissions are replayed',
      'Give --ledger FILE or --server, or leave it out',
    );
  const checked =
    options.server === undefined
      ? await ofFiles(options, month, now, terminal)
      : await ofService(options, month, now, terminal);
  const refusals = refusalsFor(text, checked);
  const body = readUnverified(text);
  const replay =
    checked.rows === null || body === null
      ? null
      : replayCeiling(checked.rows.rows, body.ceiling.image_names);
  const signature = refusals.some(isUnsigned) ? 'not_verified' : 'verified';
  const answer = {
    accepted: refusals.length === 0,
    refusals: refusals.map(({ message, hint }) => ({ message, hint: hint ?? null })),
    certificate: body,
    signature: checked.keys === null ? 'not_checked' : signature,
    month: replay === null ? null : month,
    covered: replay === null ? null : (checked.rows?.covered ?? null),
    replay,
  };
  await outcome.write(answer, await textOf(sourceName(file), answer, terminal));
  if (checked.keys === null && !quiet)
    terminal.err('ipo: the signature was not verified; give --public-key or --server\n');
  return refusals.length === 0 ? EXIT.done : EXIT.check;
}

const isUnsigned = (error: IpoError): boolean =>
  'fault' in error && (error.fault === 'not_signed' || error.fault === 'malformed');

function unverified(body: CertificateBody, text: string): Certificate {
  return { body, text, signedBy: '', notAfter: body.not_after === null ? null : parseTime(body.not_after) };
}

function refusalsFor(text: string, { keys, expected }: Checked): readonly IpoError[] {
  try {
    const body = readUnverified(text);
    const certificate =
      keys === null && body !== null ? unverified(body, text) : openCertificate(text, keys ?? []);
    return refusalsOf(certificate, expected);
  } catch (error) {
    if (!isIpoError(error)) throw error;
    // What it says is not believed, but what is wrong with that is to be fixed as well.
    const said = isUnsigned(error) ? readUnverified(text) : null;
    return said === null ? [error] : [error, ...refusalsOf(unverified(said, text), expected)];
  }
}

async function ofFiles(
  { publicKey, request, clusterId, ledger }: LicenceCheckOptions,
  month: string,
  at: number,
  terminal: Terminal,
): Promise<Checked> {
  const parts = openParts(terminal);
  const asked = request === undefined ? null : await readRequest(request, terminal);
  return {
    keys: publicKey === undefined ? null : publicKey.map((text) => parseVkey(text)),
    expected: {
      at,
      ...(asked !== null && { clusterId: asked.cluster_id, requestId: asked.request_id }),
      ...(clusterId !== undefined && { clusterId }),
    },
    rows: ledger === undefined ? null : await rowsOf(await parts.openLedger(ledger), month, null),
    month,
  };
}

async function ofService(
  options: LicenceCheckOptions,
  month: string,
  at: number,
  terminal: Terminal,
): Promise<Checked> {
  const { server, tokenStdin, ca } = options;
  const flags: ServiceFlags = {
    ...(typeof server === 'string' && { server }),
    ...(tokenStdin !== undefined && { tokenStdin }),
    ...(ca !== undefined && { ca }),
  };
  const own = await ofFiles(options, month, at, terminal);
  return withService(terminal, flags, async (service) => {
    const { body } = await service.json<LicenceBody>('GET /system/licence');
    const start = Date.parse(`${month}-01T00:00:00Z`);
    const query = {
      format: 'gz',
      from: formatTime(start),
      to: formatTime(Math.min(at, monthEnd(start) - 1)),
    };
    const { body: bytes } = await service.stream('GET /ledger/export', { query });
    const ledger = await readExport(await decompressed(bytes), service.server);
    return {
      keys: own.keys ?? body.public_keys.map((text) => parseVkey(text)),
      expected: {
        clusterId: body.cluster_id,
        keyId: body.key_id,
        requestId: body.request_id,
        ...own.expected,
      },
      rows: own.rows ?? (await rowsOf(ledger, month, body.cluster)),
      month,
    };
  });
}

/** The admissions of the month as the meter counts them, the oldest first. */
async function rowsOf(ledger: LedgerExport, month: string, cluster: string | null): Promise<MonthRows> {
  const start = monthStart(Date.parse(`${month}-01T00:00:00Z`));
  const end = monthEnd(start);
  const names = new WeakMap<LedgerRow, string | null>();
  const rows: CeilingRow[] = [];
  const { from, to, exportedAt } = ledger.header;
  let first = from === null ? Infinity : parseTime(from);
  for await (const { at, shapes } of ledger.rows())
    for (const [i, shape] of shapes.entries()) {
      const time = at[i] ?? NaN;
      if (time < first) first = time;
      if (!(time >= start && time < end)) continue;
      let name = names.get(shape);
      if (name === undefined) names.set(shape, (name = nameOf(shape, cluster)));
      if (name !== null) rows.push({ at: time, name });
    }
  const last = to === null ? exportedAt : parseTime(to);
  const isOutside = first >= end || last < start;
  // An export of a month ends with its last millisecond.
  const isWhole = first <= start && last >= end - 1;
  return { rows: rows.toReversed(), covered: coveredOf(isOutside, isWhole) };
}

function coveredOf(isOutside: boolean, isWhole: boolean): Covered {
  if (isOutside) return 'none';
  return isWhole ? 'whole' : 'part';
}

function nameOf(row: LedgerRow, cluster: string | null): string | null {
  const counts =
    (row.kind ?? 'review') === 'review' &&
    row.allowed &&
    row.review_allowed !== false &&
    row.break_glass !== true &&
    (row.subresource ?? null) === null;
  if (!counts || (row.image ?? null) === null || (cluster !== null && (row.cluster ?? '') !== cluster))
    return null;
  const reference = parseReference(row.image ?? '');
  return 'fault' in reference ? null : reference.name;
}

interface Answer {
  readonly accepted: boolean;
  readonly refusals: readonly { readonly message: string; readonly hint: string | null }[];
  readonly certificate: CertificateBody | null;
  readonly signature: string;
  readonly month: string | null;
  readonly covered: Covered | null;
  readonly replay: CeilingWhatIf | null;
}

function acceptedText(signature: string): string {
  return signature === 'not_checked'
    ? 'Nothing here is against the certificate. Its signature was not verified.'
    : 'The certificate would be accepted.';
}

async function textOf(
  file: string,
  { accepted, refusals, certificate, signature, month, covered, replay }: Answer,
  terminal: Terminal,
): Promise<string> {
  const lines = [
    accepted
      ? acceptedText(signature)
      : `The service would not accept ${printable(file)} as its certificate:`,
  ];
  for (const { message, hint } of refusals)
    lines.push(`  ${printable(message)}`, ...(hint === null ? [] : [`    ${printable(hint)}`]));
  if (certificate !== null) {
    const { nodes, image_names, clusters } = certificate.ceiling;
    lines.push(
      '',
      `Ceilings: nodes ${nodes ?? 'none'}, image names in a month ${image_names ?? 'none'}, clusters ${clusters ?? 'none'}.`,
    );
  }
  if (replay === null || month === null) return `${lines.join('\n')}\n`;
  if (covered === 'none')
    return `${[...lines, '', `The export does not hold ${month}; choose another month with --month.`].join('\n')}\n`;
  const { admitted, denied, ceiling } = replay;
  lines.push(
    '',
    `In ${month}, ${admitted} image ${admitted === 1 ? 'name was' : 'names were'} admitted. ${ceiling === null ? 'The certificate has no ceiling of image names' : `A ceiling of ${ceiling} would have denied ${denied.length}`}.`,
    ...(covered === 'part' ? ['The export holds only a part of this month.'] : []),
  );
  if (denied.length === 0) return `${lines.join('\n')}\n`;
  const rows = denied.map(({ name, first, admissions }) => [
    name,
    shortMoment(formatTime(first)),
    String(admissions),
  ]);
  const columns = [
    { heading: 'image name', flex: 1 },
    { heading: 'first denied (UTC)' },
    { heading: 'admissions' },
  ];
  return `${lines.join('\n')}\n\n${await renderRows(columns, rows, '', terminal)}`;
}
