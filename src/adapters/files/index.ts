/**
 * Files of this machine: policies and reports read within bounds, ledger exports streamed, results written whole.
 * It uses no other adapter.
 */
export { toFileError } from './file-error.ts';
export { openByteStream, openRawBytes } from './byte-stream.ts';
export { makeDirectory } from './make-directory.ts';
export { listFiles } from './list-files.ts';
export { readBounded, readStreamBounded } from './read-bounded.ts';
export { openRandomAccess, readDescriptor, type RandomAccess, type SharedFile } from './random-access.ts';
export { withScratch } from './scratch.ts';
export { writeStreamWhole } from './write-stream.ts';
export { writeWhole } from './write-whole.ts';
