import { writeStreamWhole } from '../../adapters/files/index.ts';
import type { EvidenceDocument } from '../../evidence/index.ts';

/** MadeFile is a package that was written. */
export interface MadeFile {
  readonly document: EvidenceDocument;
  readonly bytes: number;
}

/** counted passes chunks on and tells their lengths. */
async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  add: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    add(chunk.length);
    yield chunk;
  }
}

/** writePackage writes the archive of a package to a file, whole or not at all. */
export async function writePackage(
  out: string,
  made: { readonly document: MadeFile['document']; archive(): AsyncIterable<Uint8Array> },
): Promise<MadeFile> {
  let bytes = 0;
  await writeStreamWhole(
    out,
    counted(made.archive(), (length) => (bytes += length)),
  );
  return { document: made.document, bytes };
}
