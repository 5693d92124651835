/**
 * Keys and certificates made, and read from files that cert-manager or a person keeps.
 * It uses no other adapter.
 */
export { certificateFiles } from './files.ts';
export { keptFile } from './kept-file.ts';
export { certificateMaker } from './make.ts';
