import type { EvidenceDocument } from '../../evidence/index.ts';

/** MadeFile is a package that was written. */
export interface MadeFile {
  readonly document: EvidenceDocument;
  readonly bytes: number;
}

/** counted passes chunks on and tells their lengths. */
export async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  add: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    add(chunk.length);
    yield chunk;
  }
}
