import { openByteStream, withScratch } from '../../adapters/files/index.ts';
import { IpoError } from '../../base/index.ts';
import { makePackage, toEvidenceSigner, toRequest, type EvidenceWish } from '../../evidence/index.ts';
import { verifyExport, type ColdImagePolicy } from '../../ledger/index.ts';
import { ALWAYS_LEFT_OUT } from '../../reconcile/index.ts';
import { writePackage, type MadeFile } from './made-file.ts';

/** FromDatabase is what a package is made of beside a service that runs. */
export interface FromDatabase {
  readonly url: string;
  /** Private key in PEM, and what it is called in errors. */
  readonly key: string;
  readonly keyName: string;
  readonly out: string;
  readonly wish: EvidenceWish;
  readonly organisation: { readonly name: string | null; readonly contact: string | null };
  readonly publicUrl: string | null;
  /** Name of the cluster for the header of the rows. */
  readonly cluster: string | null;
  readonly coldImagePolicy: ColdImagePolicy;
  readonly version: string;
  readonly at: number;
  readonly progress?: (rows: number) => void;
}

/**
 * makeFromDatabase makes a package of a service's database, which is only read, all of it at one moment. The file is there whole or not
 * at all. Throws IpoError `invalid_request` or `format`, StoreError, FileError.
 */
export async function makeFromDatabase(options: FromDatabase): Promise<MadeFile> {
  const { url, at, out, version, organisation, publicUrl, cluster, coldImagePolicy } = options;
  const signer = toEvidenceSigner(options.key, options.keyName);
  const request = toRequest(options.wish, at);
  const { atOneMoment, evidenceSource, ledgerTree, openStore } = await import('../../store/index.ts');
  const opened = await openStore({ url, readOnly: true, poolSize: 1 });
  try {
    return await atOneMoment(opened, async (store) => {
      const tiles = ledgerTree(store);
      const [checkpoint, key] = [await tiles.newestCheckpoint(), await tiles.key()];
      if (checkpoint === null || key === null)
        throw new IpoError('not_found', 'the ledger is not signed yet, so nothing could prove its rows', {
          hint: 'The service signs within a minute of its first row; try again then',
        });
      const installation = {
        ...{ version, organisation, publicUrl },
        exemptNamespaces: ALWAYS_LEFT_OUT,
        rescanHours: 24,
      };
      const rows = { at, cluster, coldImagePolicy, tree: { checkpoint, key, tiles } };
      const source = await evidenceSource(store, request, rows, installation);
      return withScratch(async (scratch) => {
        const made = await makePackage({
          ...{ source, request, at, signer, scratch },
          checkpoint: () => checkpoint.note,
          verifyRows: async (chunks) =>
            verifyExport(await openByteStream(chunks), 'the rows', { keys: [], kept: [] }),
          progress: (_, read) => options.progress?.(read),
        });
        return await writePackage(out, made);
      });
    });
  } finally {
    await opened.close();
  }
}
