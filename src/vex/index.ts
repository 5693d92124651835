/**
 * What producers state of vulnerabilities in their images (VEX): the readers of OpenVEX, CSAF and CycloneDX, which statement is about
 * which image, and which of several rules. Who made a statement, and whether that counts, is judged elsewhere.
 * It uses `image` and `versions`.
 */
export { claimsAbout, coverOf, type VexClaim, type VexClaims, type VexCover } from './coverage.ts';
export { concernOf, type Concern, type VexTarget } from './concern.ts';
export { DigestIndex } from './digest-index.ts';
export { coversPackage, matchPackage, type VexPackage } from './packages.ts';
export { parsePurl, type Purl } from './purl.ts';
export { MAX_STATEMENTS, MAX_VEX_BYTES, countStatements, readVex, toVexDocument } from './read.ts';
export {
  isSuppressing,
  VEX_FORMATS,
  VEX_STATUSES,
  type VexDocument,
  type VexFault,
  type VexProduct,
  type VexStatement,
  type VexStatus,
} from './statement.ts';
