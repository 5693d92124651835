/**
 * What producers state of vulnerabilities in their images (VEX): the readers of OpenVEX, CSAF and CycloneDX, which statement is about
 * which image, and which of several rules. Who made a statement, and whether that counts, is judged elsewhere.
 * It uses `image` and `versions`.
 */
export { claimsAbout, coverOf, type VexClaim, type VexCover } from './coverage.ts';
export { concernOf } from './concern.ts';
export { DigestIndex } from './digest-index.ts';
export { coversPackage, type VexPackage } from './packages.ts';
export { parsePurl } from './purl.ts';
export { MAX_STATEMENTS, MAX_VEX_BYTES, countStatements, readVex, toVexDocument } from './read.ts';
export { isSuppressing, type VexDocument, type VexProduct, type VexStatus } from './statement.ts';
