import { isUtf8 } from 'node:buffer';
import { JsonKeyError, parseStrictJson } from '../base/index.ts';
import { isCsaf, readCsaf } from './csaf.ts';
import { isCycloneDx, readCycloneDx } from './cyclone-dx.ts';
import { toObject, type Json } from './json.ts';
import { isOpenVex, readOpenVex } from './open-vex.ts';
import type { VexDocument, VexFault } from './statement.ts';

/** MAX_VEX_BYTES bound a document that is read. */
export const MAX_VEX_BYTES = 8 * 1024 * 1024;

/** MAX_STATEMENTS bound what one document says: each vulnerability of each statement in each product, and in each part of it. */
export const MAX_STATEMENTS = 100_000;

/** readVex reads the bytes of a VEX document: OpenVEX, CSAF or CycloneDX, told by its content. Never throws. */
export function readVex(bytes: Uint8Array): VexDocument | VexFault {
  if (bytes.length > MAX_VEX_BYTES) return { fault: `is larger than ${MAX_VEX_BYTES / 1_048_576} MiB` };
  if (!isUtf8(bytes)) return { fault: 'is not UTF-8 text' };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  let value: unknown;
  try {
    value = parseStrictJson(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (error) {
    return { fault: error instanceof JsonKeyError ? `cannot be read: ${error.message}` : 'is not JSON' };
  }
  return toVexDocument(value);
}

/**
 * toVexDocument reads a VEX document that was parsed, such as the predicate of an in-toto statement; `cosign attest` of early versions put
 * it, or its text, under `Data`.
 */
export function toVexDocument(value: unknown): VexDocument | VexFault {
  const document = toObject(value);
  if (document === null) return { fault: 'is not an object' };
  const inner = 'Data' in document ? unwrapped(document.Data) : null;
  const found = readFormat(inner ?? document);
  if (found === null) return { fault: 'is neither OpenVEX, CSAF nor CycloneDX' };
  if ('fault' in found) return found;
  return countStatements(found) > MAX_STATEMENTS
    ? { fault: `makes more than ${MAX_STATEMENTS} statements` }
    : found;
}

/** countStatements tells how much a document says: each vulnerability of each statement in each product, and in each part of it. */
export function countStatements({ statements }: VexDocument): number {
  let said = 0;
  for (const { ids, products } of statements) {
    if (products === null) said += ids.length;
    else for (const { parts } of products) said += ids.length * Math.max(parts?.length ?? 1, 1);
  }
  return said;
}

function readFormat(document: Json): VexDocument | VexFault | null {
  if (isCycloneDx(document)) return readCycloneDx(document);
  if (isCsaf(document)) return readCsaf(document);
  return isOpenVex(document) ? readOpenVex(document) : null;
}

function unwrapped(data: unknown): Json | null {
  if (typeof data !== 'string') return toObject(data);
  try {
    return toObject(parseStrictJson(data));
  } catch {
    return null;
  }
}
