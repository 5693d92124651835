import { openByteStream, withScratch } from '../../adapters/files/index.ts';
import { IpoError } from '../../base/index.ts';
import {
  makePackage,
  type EvidenceRequest,
  type EvidenceSigner,
  type Made,
  type Stage,
} from '../../evidence/index.ts';
import { verifyExport, type ColdImagePolicy } from '../../ledger/index.ts';

/** PackagePlace is what a package says of where it was made, beside what the database knows. */
export interface PackagePlace {
  readonly organisation: { readonly name: string | null; readonly contact: string | null };
  readonly publicUrl: string | null;
  /** Name of the cluster for the header of the rows. */
  readonly cluster: string | null;
  readonly coldImagePolicy: ColdImagePolicy;
  /** Namespaces whose pods are in no population. */
  readonly exemptNamespaces: readonly string[];
  readonly version: string;
}

/** OfDatabase is what a package is made of. */
export interface OfDatabase {
  readonly url: string;
  readonly signer: EvidenceSigner;
  readonly request: EvidenceRequest;
  readonly place: PackagePlace;
  readonly at: number;
  /** Directory for what is too large for memory; that of the system unless given. */
  readonly scratch?: string | undefined;
  /** Has an authority stamp a signature; absent: no time stamp. */
  readonly stamp?: ((signature: Buffer) => Promise<Uint8Array>) | undefined;
  readonly progress?: (stage: Stage, rows: number, total: number | null) => void;
}

/** Hours between scans of one image at most. */
const RESCAN_HOURS = 24;

/**
 * packageOfDatabase makes a package of a service's database, which is only read, all of it at one moment, and gives it to `act` while what
 * it is written from is there. Throws IpoError `not_found` where rows are there and none is signed, StoreError, FileError.
 */
export async function packageOfDatabase<T>(options: OfDatabase, act: (made: Made) => Promise<T>): Promise<T> {
  const { url, signer, request, at, scratch: parent, stamp, progress } = options;
  const { cluster, coldImagePolicy, ...place } = options.place;
  const { atOneMoment, evidenceSource, ledgerTree, openStore } = await import('../../store/index.ts');
  const opened = await openStore({ url, readOnly: true, poolSize: 1 });
  try {
    return await atOneMoment(opened, async (store) => {
      const tiles = ledgerTree(store);
      const [checkpoint, key] = [await tiles.newestCheckpoint(), await tiles.key()];
      const tree = checkpoint === null || key === null ? null : { checkpoint, key, tiles };
      if (tree === null && (await tiles.rows()) > 0)
        throw new IpoError('not_found', 'the ledger is not signed yet, so nothing could prove its rows', {
          hint: 'The service signs within a minute of its first row; try again then',
        });
      const source = await evidenceSource(
        store,
        request,
        { at, cluster, coldImagePolicy, tree },
        { ...place, rescanHours: RESCAN_HOURS },
      );
      return withScratch(async (scratch) => {
        const made = await makePackage({
          source,
          request,
          at,
          signer,
          scratch,
          ...(stamp !== undefined && { stamp }),
          checkpoint: () => checkpoint?.note ?? null,
          verifyRows: async (chunks) =>
            verifyExport(await openByteStream(chunks), 'the rows', {
              keys: [],
              kept: [],
              progress: (rows) => progress?.('verify', rows, source.total),
            }),
          progress: (stage, rows) => progress?.(stage, rows, source.total),
        });
        return act(made);
      }, parent);
    });
  } finally {
    await opened.close();
  }
}
