import { IpoError } from '../../base/index.ts';
import { mostOf, type Entry } from './zip-read.ts';

/** ROWS_FILE is the name of the file of the rows. */
export const ROWS_FILE = 'admissions.ndjson.gz';

/** Gunzip uncompresses the rows of a package. */
export type Gunzip = (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** rowsOf gives the rows of the package `name`, uncompressed, by their entry. Throws IpoError `damaged`, also where there is none. */
export function rowsOf(name: string, entry: Entry | undefined, gunzip: Gunzip): AsyncIterable<Uint8Array> {
  if (entry === undefined) throw new IpoError('damaged', `${name}: ${ROWS_FILE} is missing`);
  return bounded(gunzip(entry.content()), mostOf(entry.size), name);
}

async function* bounded(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
  name: string,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of chunks) {
    read += chunk.length;
    if (read > most) throw new IpoError('damaged', `${name}: the rows are larger than any package's`);
    yield chunk;
  }
}
