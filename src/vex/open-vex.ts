import { toList, toObject, toText, toTexts, type Json } from './json.ts';
import { packageUrls } from './limited.ts';
import {
  VEX_STATUSES,
  type VexDocument,
  type VexProduct,
  type VexStatement,
  type VexStatus,
} from './statement.ts';
import { toTime } from './times.ts';

const CONTEXT = 'https://openvex.dev/ns';

/** isOpenVex tells an OpenVEX document, of whatever version; early ones may lack the context. */
export function isOpenVex(document: Json): boolean {
  const context = document['@context'];
  return (
    Array.isArray(document.statements) &&
    (context === undefined || (typeof context === 'string' && context.startsWith(CONTEXT)))
  );
}

/**
 * readOpenVex reads OpenVEX 0.0.1 to 0.2.0: a vulnerability and products may be texts or objects, and what a statement does not say, the
 * document does.
 */
export function readOpenVex(document: Json): VexDocument {
  const statements: VexStatement[] = [];
  for (const value of toList(document.statements)) {
    const statement = toObject(value);
    const ids = idsOf(statement?.vulnerability);
    if (statement === null || ids.length === 0) continue;
    statements.push({
      ids,
      status: statusOf(statement.status),
      at: toTime(statement.timestamp) ?? toTime(document.timestamp),
      products: productsOf(statement),
    });
  }
  return { format: 'openvex', statements };
}

/** A status that is none of the format takes nothing out, and neither does an older one beside it. */
function statusOf(value: unknown): VexStatus {
  return VEX_STATUSES.find((status) => status === value) ?? 'under_investigation';
}

/** The name, the aliases, and an `@id` that is an id or ends in one (`https://nvd.nist.gov/vuln/detail/CVE-2019-17571`). */
function idsOf(vulnerability: unknown): readonly string[] {
  if (typeof vulnerability === 'string') return toTexts(vulnerability);
  const named = toObject(vulnerability);
  if (named === null) return [];
  const ids = toTexts(named.name, ...toList(named.aliases));
  const id = toText(named['@id']);
  if (id !== null) {
    const last = id.slice(id.lastIndexOf('/') + 1);
    ids.push(/^[A-Z]+-[\w.:-]+$/i.test(last) ? last : id);
  }
  return [...new Set(ids)];
}

function productsOf(statement: Json): readonly VexProduct[] | null {
  const { products } = statement;
  if (products === undefined || products === null) return null;
  if (Array.isArray(products) && products.length === 0) return null;
  // 0.0.1 limits a statement, later versions each product.
  const ofStatement = partsOf(statement.subcomponents);
  return toList(products).map((value) => {
    const product = toObject(value);
    const parts = partsOf(product?.subcomponents) ?? ofStatement;
    return { names: namesOf(value), hashes: hashesOf(product?.hashes), parts };
  });
}

/** An empty list limits nothing; one that cannot be read covers nothing. */
function partsOf(subcomponents: unknown): readonly string[] | null {
  if (subcomponents === undefined || subcomponents === null) return null;
  if (Array.isArray(subcomponents) && subcomponents.length === 0) return null;
  return toList(subcomponents).flatMap((value) => {
    const names = namesOf(value);
    const purls = packageUrls(names);
    return purls.length > 0 ? purls : names; // a bare name beside it would cover every version
  });
}

function namesOf(value: unknown): readonly string[] {
  const named = toObject(value);
  if (named === null) return toTexts(value);
  const { purl } = toObject(named.identifiers) ?? {};
  return [...new Set(toTexts(named['@id'], purl))];
}

function hashesOf(value: unknown): readonly string[] {
  return Object.entries(toObject(value) ?? {})
    .filter(([algorithm]) => /^sha-?256$/i.test(algorithm))
    .flatMap(([, hash]) => toTexts(hash))
    .map((hash) => hash.toLowerCase());
}
