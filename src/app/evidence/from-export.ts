import { openByteStream, withScratch } from '../../adapters/files/index.ts';
import { IpoError, parseTime } from '../../base/index.ts';
import {
  makePackage,
  toEvidenceSigner,
  toRequest,
  type EvidenceSource,
  type EvidenceWish,
} from '../../evidence/index.ts';
import { readExport, verifyExport, type LedgerRow } from '../../ledger/index.ts';
import { ALWAYS_LEFT_OUT } from '../../reconcile/index.ts';
import { writePackage, type MadeFile } from './made-file.ts';

/** FromExport is what a package is made of without a service. */
export interface FromExport {
  /** The export's file. */
  readonly ledger: string;
  /** Private key in PEM, and what it is called in errors. */
  readonly key: string;
  readonly keyName: string;
  readonly out: string;
  /** What is left out of the period is that of the export. */
  readonly wish: Partial<EvidenceWish>;
  readonly organisation: { readonly name: string | null; readonly contact: string | null };
  readonly version: string;
  readonly at: number;
  readonly progress?: (rows: number) => void;
}

/**
 * makeFromExport makes a package of only an export. The file is there whole or not at all. Throws IpoError `invalid_request` or `format`,
 * LedgerError, FileError.
 */
export async function makeFromExport(options: FromExport): Promise<MadeFile> {
  const { ledger: path, version, at, organisation, out } = options;
  const signer = toEvidenceSigner(options.key, options.keyName);
  const opened = await readExport(await openByteStream(path), path, { whole: true });
  const { header, policies } = opened;
  const request = toRequest({ ...options.wish, ...periodOf(header, options.wish, path) }, at);
  let note: string | null = null;
  const source: EvidenceSource = {
    facts: {
      kind: 'export',
      organisation: { ...organisation, declarations: null },
      versions: { service: version, scanner: null },
      nodes: null,
      exemptNamespaces: ALWAYS_LEFT_OUT,
      days: null,
      began: null,
      clusters: null,
      tracker: null,
      rescanHours: 24,
      runtime: null,
      mutes: null,
      ledger: { rows: header.tree?.size ?? null, anchors: null },
      publicUrl: null,
    },
    rows: {
      policies,
      async *lines(take) {
        for await (const batch of opened.rows()) {
          take(batch.shapes as readonly LedgerRow[]);
          yield '';
        }
        note = opened.seal?.note ?? null;
        yield* await openByteStream(path);
      },
    },
    issues: () => null,
    findings: () => null,
    triage: () => null,
    images: () => null,
  };
  return withScratch(async (scratch) => {
    try {
      const made = await makePackage({
        source,
        request,
        at,
        signer,
        scratch,
        checkpoint: () => note,
        verifyRows: async (chunks) =>
          verifyExport(await openByteStream(chunks), path, { keys: [], kept: [] }),
        progress: (_, rows) => options.progress?.(rows),
      });
      return await writePackage(out, made);
    } finally {
      await opened.close();
    }
  });
}

function periodOf(
  header: { readonly from: string | null; readonly to: string | null; readonly exportedAt: number },
  wish: Partial<EvidenceWish>,
  path: string,
): { readonly from: number; readonly to: number } {
  const from = wish.from ?? (header.from === null ? NaN : parseTime(header.from));
  const to = wish.to ?? (header.to === null ? header.exportedAt : parseTime(header.to));
  if (Number.isNaN(from) || Number.isNaN(to))
    throw new IpoError('usage', `${path} does not say which period it covers`, {
      hint: 'Give --period 2026-Q3, or --from and --to',
    });
  return { from, to };
}
