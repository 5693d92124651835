import { toList, toObject, toText, toTexts, type Json } from './json.ts';
import { isImage, limitName, packageUrls } from './limited.ts';
import { parsePurl } from './purl.ts';
import type { VexDocument, VexProduct, VexStatement, VexStatus } from './statement.ts';
import { toTime } from './times.ts';
import { readVersions, statusOf, statusUnder, type VersionStatus } from './version-status.ts';

/** What the states of an analysis say. A false positive is a vulnerability that is not in the product. */
const STATES: Readonly<Record<string, VexStatus>> = {
  not_affected: 'not_affected',
  false_positive: 'not_affected',
  resolved: 'fixed',
  resolved_with_pedigree: 'fixed',
  exploitable: 'affected',
  in_triage: 'under_investigation',
};

/** How deep components may be nested. */
const MAX_DEPTH = 64;

/** isCycloneDx tells a CycloneDX document. */
export function isCycloneDx(document: Json): boolean {
  return document.bomFormat === 'CycloneDX';
}

/**
 * readCycloneDx reads the vulnerabilities of a CycloneDX document, a bill of materials or only VEX. What a vulnerability affects is the
 * document's subject (`metadata.component`), one of its components, which limits the statement to that, or an element of another document
 * by its BOM-Link; `versions` limits it to some versions and says of each what it is. One without an analysis says nothing.
 */
export function readCycloneDx(document: Json): VexDocument {
  const metadata = toObject(document.metadata);
  const subject = toObject(metadata?.component);
  const components = componentsOf(document, subject);
  const statements: VexStatement[] = [];
  for (const value of toList(document.vulnerabilities)) {
    const vulnerability = toObject(value);
    const analysis = toObject(vulnerability?.analysis);
    if (vulnerability === null || analysis === null || analysis.state === undefined) continue;
    const references = toList(vulnerability.references).map((reference) => toObject(reference)?.id);
    const ids = [...new Set(toTexts(vulnerability.id, ...references))];
    if (ids.length === 0) continue;
    const { state } = analysis;
    const isKnown = typeof state === 'string' && Object.hasOwn(STATES, state);
    const status = (isKnown ? STATES[state] : undefined) ?? 'under_investigation';
    const at =
      [analysis.lastUpdated, analysis.firstIssued, metadata?.timestamp].map(toTime).find(isNumber) ?? null;
    const said = toList(vulnerability.affects).flatMap((affected) =>
      saidOf(affected, status, subject, components),
    );
    for (const [each, all] of Map.groupBy(said, (one) => one.status))
      statements.push({ ids, status: each, at, products: all.map(({ product }) => product) });
  }
  return { format: 'cyclonedx', statements };
}

/** Every component by its reference, its own parts included. */
function componentsOf(document: Json, subject: Json | null): Map<string, Json> {
  const components = new Map<string, Json>();
  let level = [...toList(document.components), ...toList(subject?.components)];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    for (const value of level) {
      const reference = toText(toObject(value)?.['bom-ref']);
      const component = toObject(value);
      if (reference !== null && component !== null) components.set(reference, component);
    }
    level = level.flatMap((value) => toList(toObject(value)?.components));
  }
  return components;
}

interface Said {
  readonly status: VexStatus;
  readonly product: VexProduct;
}

function saidOf(
  value: unknown,
  state: VexStatus,
  subject: Json | null,
  components: ReadonlyMap<string, Json>,
): readonly Said[] {
  const affected = toObject(value);
  const reference = toText(affected?.ref);
  if (affected === null || reference === null) return [];
  const component =
    subject !== null && toText(subject['bom-ref']) === reference ? subject : components.get(reference);
  const versions = readVersions(affected.versions);
  return (component === undefined ? [linked(reference)] : productsOf(component, subject)).flatMap((product) =>
    inVersions(product, state, versions, component),
  );
}

/** A product with the statuses of its versions. What is known of the version that it is in decides; else its names are limited. */
function inVersions(
  product: VexProduct,
  state: VexStatus,
  versions: readonly VersionStatus[] | null,
  component: Json | undefined,
): readonly Said[] {
  if (versions === null) return [{ status: state, product }];
  const urls = (product.parts ?? product.names).flatMap((name) => parsePurl(name) ?? []);
  const known = [...new Set(toTexts(component?.version, ...urls.map(({ version }) => version)))];
  const [first] = urls;
  const isPackage = first !== undefined && first.type !== 'oci' && first.type !== 'docker';
  const type = isPackage ? first.type : null;
  if (known.length > 0 || !isPackage) return [{ status: statusOf(state, versions, known, type), product }];
  return versions.map((version): Said => {
    const status = statusUnder(state, version);
    const { limit } = version;
    const limited = (names: readonly string[]): readonly string[] =>
      limit === null ? names : packageUrls(names).map((name) => limitName(name, limit));
    return {
      // What may be about any version takes nothing out.
      status: limit === null ? statusUnder(state, { status: 'unknown' }) : status,
      product:
        product.parts === null
          ? { ...product, names: limited(product.names) }
          : { ...product, parts: limited(product.parts) },
    };
  });
}

function productsOf(component: Json, subject: Json | null): readonly VexProduct[] {
  const own = toProduct(component, null);
  if (subject === null || component === subject) return [own];
  const parts = packageUrls(own.names);
  return [...(parts.some(isImage) ? [own] : []), toProduct(subject, parts)];
}

/** A BOM-Link: `urn:cdx:serial/version#reference`, where the reference is often the package URL. */
function linked(reference: string): VexProduct {
  const mark = reference.indexOf('#');
  const target = mark === -1 ? reference : reference.slice(mark + 1);
  return { names: /^pkg:/i.test(target) ? [target] : decoded(target), hashes: [], parts: null };
}

function decoded(reference: string): readonly string[] {
  try {
    return [decodeURIComponent(reference)];
  } catch {
    return [];
  }
}

function toProduct(component: Json, parts: readonly string[] | null): VexProduct {
  const hashes = toList(component.hashes)
    .map(toObject)
    .filter((hash) => hash?.alg === 'SHA-256')
    .flatMap((hash) => toTexts(hash?.content));
  const names = toTexts(component.purl, component['bom-ref'], component.name, digestOf(component));
  const version = toText(component.version);
  return {
    names: [
      ...new Set(
        names.map((name) => (version === null || isImage(name) ? name : limitName(name, { version }))),
      ),
    ],
    hashes: hashes.map((hash) => hash.toLowerCase()),
    parts,
  };
}

/** Some tools write the reference of an image as the name and its digest as the version. */
function digestOf({ version }: Json): string | null {
  return typeof version === 'string' && version.startsWith('sha256:') ? version : null;
}

function isNumber(value: number | null): value is number {
  return value !== null;
}
