import { toList, toObject, toText, toTexts, type Json } from './json.ts';
import { isImage, limitName, packageUrls, type Limit } from './limited.ts';
import type { VexDocument, VexFault, VexProduct, VexStatement, VexStatus } from './statement.ts';
import { toTime } from './times.ts';

/** The lists of `product_status` and what they say; `recommended` says nothing of a vulnerability. */
const STATUS_LISTS: Readonly<Record<string, VexStatus>> = {
  fixed: 'fixed',
  first_fixed: 'fixed',
  known_not_affected: 'not_affected',
  known_affected: 'affected',
  first_affected: 'affected',
  last_affected: 'affected',
  under_investigation: 'under_investigation',
  unknown: 'under_investigation',
};

/** How deep branches and relationships may be nested. */
const MAX_DEPTH = 64;

/** isCsaf tells a CSAF document by what every version of it must have. */
export function isCsaf(document: Json): boolean {
  const head = toObject(document.document);
  return toText(head?.csaf_version) !== null;
}

/**
 * readCsaf reads a CSAF 2.0 or 2.1 document: the VEX profile, and advisories, whose products have a status likewise. A draft is not yet a
 * statement of the producer. A product that is a part of another (`default_component_of`) limits the statement to the part.
 */
export function readCsaf(document: Json): VexDocument | VexFault {
  const tracking = toObject(toObject(document.document)?.tracking);
  const state = tracking?.status;
  if (state === 'draft') return { fault: 'is a draft' };
  const at = toTime(tracking?.current_release_date) ?? toTime(tracking?.initial_release_date);
  const products = productsOf(toObject(document.product_tree));
  const statements: VexStatement[] = [];
  for (const value of toList(document.vulnerabilities)) {
    const vulnerability = toObject(value);
    if (vulnerability === null) continue;
    const texts = toList(vulnerability.ids).map((id) => toObject(id)?.text);
    const ids = [...new Set(toTexts(vulnerability.cve, ...texts))];
    if (ids.length === 0) continue;
    const lists = toObject(vulnerability.product_status) ?? {};
    for (const [list, status] of Object.entries(STATUS_LISTS)) {
      const named = toList(lists[list]).flatMap((id) =>
        typeof id === 'string' ? (products.get(id) ?? []) : [],
      );
      if (named.length > 0) statements.push({ ids, status, at, products: named });
    }
  }
  return { format: 'csaf', statements };
}

type Tree = Map<string, readonly VexProduct[]>;

function productsOf(tree: Json | null): Tree {
  const products: Tree = new Map();
  const add = (value: unknown, limit: Limit | null): void => {
    const product = toObject(value);
    const id = toText(product?.product_id);
    if (product !== null && id !== null && !products.has(id)) products.set(id, [toProduct(product, limit)]);
  };
  for (const product of toList(tree?.full_product_names)) add(product, null);
  let level = toList(tree?.branches).map((branch) => limitedBranch(branch, null));
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    for (const { branch, limit } of level) add(branch?.product, limit);
    level = level.flatMap(({ branch, limit }) =>
      toList(branch?.branches).map((inner) => limitedBranch(inner, limit)),
    );
  }
  return withRelationships(products, toList(tree?.relationships));
}

interface Branch {
  readonly branch: Json | null;
  readonly limit: Limit | null;
}

/** A branch of a version, or of a range of them, limits what is below it: its name is the version, or the range as `vers:…`. */
function limitedBranch(value: unknown, above: Limit | null): Branch {
  const branch = toObject(value);
  const name = toText(branch?.name);
  if (name === null) return { branch, limit: above };
  if (branch?.category === 'product_version') return { branch, limit: { version: name } };
  return { branch, limit: branch?.category === 'product_version_range' ? { range: name } : above };
}

/** A relationship makes a product of two: the one that it relates to, limited to the one that it is about. */
function withRelationships(products: Tree, relationships: readonly unknown[]): Tree {
  const made: Tree = new Map(products);
  for (const value of relationships) {
    const relationship = toObject(value);
    const full = toObject(relationship?.full_product_name);
    const id = toText(full?.product_id);
    if (relationship === null || full === null || id === null || made.has(id)) continue;
    const whole = products.get(toText(relationship.relates_to_product_reference) ?? '') ?? [];
    const part = products.get(toText(relationship.product_reference) ?? '') ?? [];
    const parts = part.flatMap(({ names }) => packageUrls(names));
    const own = toProduct(full, null);
    made.set(id, [
      ...(own.names.length + own.hashes.length > 0 ? [own] : []),
      ...whole.map(({ names, hashes }) => ({ names, hashes, parts })),
    ]);
  }
  return made;
}

function toProduct(product: Json, limit: Limit | null): VexProduct {
  const helper = toObject(product.product_identification_helper);
  const hashes = toList(helper?.hashes)
    .flatMap((value) => toList(toObject(value)?.file_hashes))
    .map(toObject)
    .filter((hash) => hash?.algorithm === 'sha256')
    .flatMap((hash) => toTexts(hash?.value));
  return {
    names: toTexts(helper?.purl, ...toList(helper?.purls)).map((name) =>
      limit === null || isImage(name) ? name : limitName(name, limit),
    ),
    hashes: hashes.map((hash) => hash.toLowerCase()),
    parts: null,
  };
}
