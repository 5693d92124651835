import { toList, toObject, toText, toTexts, type Json } from './json.ts';
import type { VexDocument, VexProduct, VexStatement, VexStatus } from './statement.ts';
import { toTime } from './times.ts';

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
 * readCycloneDx reads the vulnerabilities of a CycloneDX document, a bill of materials or VEX alone. What a vulnerability affects is the
 * document's subject (`metadata.component`), one of its components, which limits the statement to that, or an element of another document
 * by its BOM-Link. One without an analysis says nothing.
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
    statements.push({
      ids,
      status: (isKnown ? STATES[state] : undefined) ?? 'under_investigation',
      at:
        [analysis.lastUpdated, analysis.firstIssued, metadata?.timestamp].map(toTime).find(isNumber) ?? null,
      products: toList(vulnerability.affects).flatMap((affected) =>
        productOf(toText(toObject(affected)?.ref), subject, components),
      ),
    });
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

function productOf(
  reference: string | null,
  subject: Json | null,
  components: ReadonlyMap<string, Json>,
): readonly VexProduct[] {
  if (reference === null) return [];
  if (subject !== null && toText(subject['bom-ref']) === reference) return [toProduct(subject, null)];
  const component = components.get(reference);
  if (component !== undefined) {
    const own = toProduct(component, null);
    if (subject === null) return [own];
    const parts = own.names.filter((name) => /^pkg:/i.test(name));
    const isImage = parts.some((name) => /^pkg:(?:oci|docker)\//i.test(name));
    return [...(isImage ? [own] : []), toProduct(subject, parts)];
  }
  // A BOM-Link: `urn:cdx:serial/version#reference`, where the reference is often the package URL.
  const mark = reference.indexOf('#');
  return [{ names: linked(mark === -1 ? reference : reference.slice(mark + 1)), hashes: [], parts: null }];
}

function linked(reference: string): readonly string[] {
  if (/^pkg:/i.test(reference)) return [reference];
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
  return {
    names: [...new Set(toTexts(component.purl, component['bom-ref'], component.name, digestOf(component)))],
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
