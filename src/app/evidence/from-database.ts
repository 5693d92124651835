import { toEvidenceSigner, toRequest, type EvidenceWish } from '../../evidence/index.ts';
import { ALWAYS_LEFT_OUT } from '../../reconcile/index.ts';
import { writePackage, type MadeFile } from './made-file.ts';
import { packageOfDatabase, type PackagePlace } from './of-database.ts';

/** FromDatabase is what a package is made of beside a service that runs. */
export interface FromDatabase extends Omit<PackagePlace, 'exemptNamespaces'> {
  readonly url: string;
  /** Private key in PEM, and what it is called in errors. */
  readonly key: string;
  readonly keyName: string;
  readonly out: string;
  readonly wish: EvidenceWish;
  readonly at: number;
  readonly progress?: (rows: number) => void;
}

/**
 * makeFromDatabase makes a package of a service's database, which is only read, all of it at one moment. The file is there whole or not
 * at all. Throws IpoError `invalid_request` or `format`, StoreError, FileError.
 */
export async function makeFromDatabase(options: FromDatabase): Promise<MadeFile> {
  const { url, at, out, wish, progress, ...place } = options;
  return packageOfDatabase(
    {
      url,
      at,
      signer: toEvidenceSigner(options.key, options.keyName),
      request: toRequest(wish, at),
      place: { ...place, exemptNamespaces: ALWAYS_LEFT_OUT },
      progress: (_, rows) => progress?.(rows),
    },
    (made) => writePackage(out, made),
  );
}
