import { inStep, isIpoError, type IpoError } from '../base/index.ts';
import { verifyExport, type Verification, type VerifyOptions } from '../ledger/index.ts';
import type { Package } from './package/open.ts';
import { ROWS_FILE, rowsOf, type Gunzip } from './package/rows.ts';
import { openZip, type Archive } from './package/zip-read.ts';

/** RowsOptions are what the rows of a package are verified with. */
export type RowsOptions = Pick<VerifyOptions, 'keys' | 'kept'>;

/** RowsOutcome is what verifying the rows came to: an answer, or why they cannot be judged as an export. Plain data but for the fault. */
export type RowsOutcome =
  | { readonly kind: 'verified'; readonly result: Verification }
  | { readonly kind: 'fault'; readonly fault: IpoError };

/** RowsBeside verifies the rows of the package at hand beside the caller, which reads them too. */
export interface RowsBeside {
  /** Gives what `verifyRows` gives of the same file. Called once. Throws IpoError `unavailable` where it ended without an answer. */
  verify(options: RowsOptions): Promise<RowsOutcome>;
  /** Ends it, whether it has answered or not. The file is read no more. */
  end(): Promise<void>;
}

/** RowsReading is the rows of a package for one reader, and what their verification comes to. The reader must read at once. */
export interface RowsReading {
  readonly rows: AsyncIterable<Uint8Array>;
  readonly outcome: Promise<RowsOutcome>;
  /** Waits until the verification reads no more. */
  end(): Promise<void>;
}

/** readRows has the rows of a package verified while they are read: beside the reader or, without `beside`, together with it. */
export function readRows(pkg: Package, options: RowsOptions, beside: RowsBeside | null = null): RowsReading {
  if (beside !== null && pkg.entries.has(ROWS_FILE))
    return { rows: pkg.rows(), outcome: heard(beside.verify(options)), end: () => beside.end() };
  const [rows, verified] = inStep(() => pkg.rows());
  const outcome = heard(verifyRows(verified, options));
  return { rows, outcome, end: () => outcome.then(ended, ended) };
}

/** verifyRows verifies the uncompressed rows of a package. */
async function verifyRows(rows: AsyncIterable<Uint8Array>, options: RowsOptions): Promise<RowsOutcome> {
  try {
    return { kind: 'verified', result: await verifyExport(rows, ROWS_FILE, options) };
  } catch (error) {
    if (!isIpoError(error)) throw error;
    return { kind: 'fault', fault: error };
  }
}

/** verifyRowsOf verifies the rows of a package that another thread has opened. */
export function verifyRowsOf(archive: Archive, gunzip: Gunzip, options: RowsOptions): Promise<RowsOutcome> {
  const rows = async function* rows() {
    const entries = await openZip(archive);
    yield* rowsOf(
      archive.name,
      entries.find(({ name }) => name === ROWS_FILE),
      gunzip,
    );
  };
  return verifyRows(rows(), options);
}

/** verifiedOf gives the answer of a verification. Throws the fault where there is none. */
export function verifiedOf(outcome: RowsOutcome): Verification {
  if (outcome.kind === 'fault') throw outcome.fault;
  return outcome.result;
}

function ended(): void {}

/** Who waits for it is told; until then it may fail. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ended);
  return promise;
}
