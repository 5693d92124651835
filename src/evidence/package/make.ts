import { canonicalJson, sha256Hex, uuid5 } from '../../base/index.ts';
import { compose } from '../compose.ts';
import { FORMAT, toDocument, type EvidenceDocument, type FileEntry } from '../document.ts';
import type { EvidenceSource, RowsVerified, Scratch, Staged } from '../ports.ts';
import { toHtml } from '../report/html.ts';
import { toOscal } from '../report/oscal.ts';
import { toPdf } from '../report/pdf.ts';
import { readmeText } from '../report/readme.ts';
import { countStates } from '../report/words.ts';
import type { EvidenceRequest } from '../request.ts';
import { statementText, writeBundle } from './bundle.ts';
import type { EvidenceSigner } from './key.ts';
import type { Stage } from '../kept/ports.ts';
import { POPULATIONS } from '../records.ts';
import { packWhole, PackedFile } from './pack.ts';
import { ROWS_FILE } from './rows.ts';
import { readTimestamp, TIMESTAMP_FILE } from './timestamp.ts';
import { writeZip } from './zip-write.ts';

/** MakeDeps are what a package is made with. */
export interface MakeDeps {
  readonly source: EvidenceSource;
  readonly request: EvidenceRequest;
  /** When it is made. */
  readonly at: number;
  readonly signer: EvidenceSigner;
  readonly scratch: Scratch;
  /** The checkpoint that signs the rows as a note; null where there is none, once the rows were read. */
  checkpoint(): Promise<string | null> | string | null;
  /** Verifies an export that stands compressed in the scratch. */
  verifyRows(chunks: AsyncIterable<Uint8Array>): Promise<RowsVerified>;
  /** Has an authority stamp the signature of `evidence.json`; absent: no time stamp. */
  stamp?(signature: Buffer): Promise<Uint8Array>;
  progress?(stage: Stage, rows: number): void;
}

/** Made is a package that is ready to be written. */
export interface Made {
  readonly document: EvidenceDocument;
  readonly files: readonly Staged[];
  archive(): AsyncGenerator<Uint8Array, void, undefined>;
}

/** The order of files in a package. */
const ORDER = [
  'README.txt',
  'evidence.json',
  'evidence.pdf',
  'evidence.html',
  ROWS_FILE,
  'issues.csv',
  'vulnerabilities.csv',
  'triage.csv',
  'break-glass.csv',
  'pods.csv',
  'images.csv',
  'oscal-assessment-results.json',
  'checkpoint.txt',
  'key.pub',
  'evidence.json.sig',
  TIMESTAMP_FILE,
  'SHA256SUMS',
  'evidence.sigstore.json',
];

/** FILE_NAMES are all files that a package can have. */
export const FILE_NAMES: ReadonlySet<string> = new Set(ORDER);

/** makePackage makes a package. The same source, request, key and time give the same bytes. */
export async function makePackage(deps: MakeDeps): Promise<Made> {
  const { source, request, at, signer, scratch } = deps;
  const data: Staged[] = [];
  const composed = await compose(source, request, at, {
    open: async (name) => {
      if (name === POPULATIONS.vulnerabilities.file) deps.progress?.('findings', 0);
      const file = await PackedFile.open(name, scratch, name === ROWS_FILE);
      return { write: (text) => file.write(text), end: async () => void data.push(await file.end()) };
    },
    verifyRows: async () => {
      deps.progress?.('verify', 0);
      const rows = data.find(({ name }) => name === ROWS_FILE) as Staged;
      return deps.verifyRows(rows.read());
    },
    progress: (rows) => deps.progress?.('rows', rows),
  });
  deps.progress?.('reports', composed.walk.rows);
  const checkpoint = await deps.checkpoint();
  if (checkpoint !== null) data.push(await packWhole('checkpoint.txt', checkpoint));
  data.push(await packWhole('key.pub', signer.pem));
  const document = toDocument({
    id: packageId(deps, data),
    at,
    request,
    facts: source.facts,
    keyId: signer.id,
    composed,
    files: data.map(toEntry),
  });
  const files = await finishFiles(document, data, deps);
  return { document, files, archive: () => writeZip(files) };
}

/** Adds what is made of the document: reports, signature, sums, statement. */
async function finishFiles(
  document: EvidenceDocument,
  data: readonly Staged[],
  { signer, stamp }: Pick<MakeDeps, 'signer' | 'stamp'>,
): Promise<readonly Staged[]> {
  const { json, reports } = await writeReports(document, data.map(toEntry));
  const files = [...data];
  for (const [name, content] of reports) files.push(await packWhole(name, content));
  files.push(await packWhole('evidence.json', json));
  const signature = signer.sign(Buffer.from(json));
  files.push(await packWhole('evidence.json.sig', `${signature.toString('base64')}\n`));
  if (stamp !== undefined) {
    const answer = await stamp(signature);
    // What is not about this signature proves nothing, and would only be found by the auditor.
    readTimestamp(answer, signature, []);
    files.push(await packWhole(TIMESTAMP_FILE, answer));
  }
  files.push(await packWhole('SHA256SUMS', sumsText(files)));
  const statement = statementText(inOrder(files), predicateOf(document));
  files.push(await packWhole('evidence.sigstore.json', writeBundle(statement, signer)));
  return inOrder(files);
}

/** writeReports writes the document, and the files that say the same in other forms. */
export async function writeReports(
  document: EvidenceDocument,
  data: readonly FileEntry[],
): Promise<{ readonly json: string; readonly reports: ReadonlyMap<string, string | Uint8Array> }> {
  const json = `${JSON.stringify(document)}\n`;
  const options = { digest: sha256Hex(json), keyId: document.generation.key_id };
  const rows = data.find(({ name }) => name === ROWS_FILE) as FileEntry;
  const reports = new Map<string, string | Uint8Array>([
    [
      'README.txt',
      readmeText(
        document,
        data.some(({ name }) => name === 'checkpoint.txt'),
      ),
    ],
    ['evidence.pdf', await toPdf(document, { ...options, json })],
    ['evidence.html', toHtml(document, options)],
    ['oscal-assessment-results.json', toOscal(document, rows)],
  ]);
  return { json, reports };
}

/** sumsText writes the sums of files as `sha256sum` reads them. */
export function sumsText(files: readonly Pick<Staged, 'name' | 'sha256'>[]): string {
  return inOrder(files)
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .join('');
}

/** predicateOf is what the statement says of a package. */
export function predicateOf(document: EvidenceDocument) {
  const { id, made_at, period } = document;
  return { format: FORMAT, id, made_at, period, states: countStates(document) };
}

/** inOrder gives files in the order of packages. */
export function inOrder<T extends { readonly name: string }>(files: readonly T[]): readonly T[] {
  return files.toSorted((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));
}

/** The id follows from what the package is made of, so that two that are equal have one. */
function packageId({ request, at, signer }: MakeDeps, data: readonly Staged[]): string {
  const files = data.map(({ name, sha256 }) => `${sha256} ${name}`).toSorted();
  return uuid5(canonicalJson({ request, at, key: signer.id, files }));
}

function toEntry({ name, sha256, size }: Staged): FileEntry {
  return { name, sha256, size };
}
