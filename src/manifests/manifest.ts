import * as z from 'zod/mini';
import { printable } from '../base/index.ts';
import { reviewObject, toReviewedObject } from './admission-review.ts';
import {
  ingressObject,
  serviceObject,
  toIngressRoute,
  toServiceRoute,
  type IngressRoute,
  type ServiceRoute,
  BREAK_GLASS,
  objectMeta,
  podImagesOf,
  podSpec,
} from '../pods/index.ts';
import { kindOf, makesPods } from './kinds.ts';
import { describeIssue, ManifestError, showPath } from './manifest-error.ts';
import { readManifestDocuments, type ManifestDocument } from './manifest-text.ts';
import type { Manifest, Skipped, Workload } from './workload.ts';

const MAX_IMAGES = 100_000;
/** Lists stand in lists at most so deep; nobody writes more than one. */
const MAX_LISTS = 4;
/** The longest name that Kubernetes has for anything; longer text names no kind. */
const MAX_NAME = 253;

/** An object under way, with where it stands in its document. */
interface Found {
  readonly apiVersion: string;
  readonly kind: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly path: readonly PropertyKey[];
  readonly namespace: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly deleted: boolean;
  readonly depth: number;
}

/**
 * parseManifest reads a stream of Kubernetes objects, in YAML or JSON: everything that makes pods, the Services and
 * Ingresses that lead to them, lists of these, and AdmissionReviews. `namespace` is for objects that name none.
 * Throws ManifestError with document, line and column.
 */
export function parseManifest(text: string, file: string, namespace: string): Manifest {
  const reader = new ManifestReader(file);
  for (const document of readManifestDocuments(text, file)) reader.takeDocument(document, namespace);
  return reader;
}

class ManifestReader implements Manifest {
  readonly workloads: Workload[] = [];
  readonly services: ServiceRoute[] = [];
  readonly ingresses: IngressRoute[] = [];
  readonly skipped: Skipped[] = [];
  readonly #file: string;
  #images = 0;

  constructor(file: string) {
    this.#file = file;
  }

  takeDocument(document: ManifestDocument, namespace: string): void {
    this.#takeValue(document, document.value, [], null, namespace, 0);
  }

  /** `of` names what an entry of a typed list is, for it need not say so itself. */
  #takeValue(
    document: ManifestDocument,
    value: unknown,
    path: readonly PropertyKey[],
    of: { apiVersion: string; kind: string } | null,
    namespace: string,
    depth: number,
  ): void {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw this.#fault(
        document,
        path,
        `${path.length === 0 ? 'the document' : showPath(path)} is not a Kubernetes object`,
        'A manifest has apiVersion, kind and metadata',
      );
    }
    const { apiVersion = of?.apiVersion, kind = of?.kind } = value as Readonly<Record<string, unknown>>;
    for (const [field, given] of Object.entries({ apiVersion, kind })) {
      if (typeof given === 'string' && given !== '') continue;
      throw this.#fault(
        document,
        [...path, field],
        `${showPath([...path, field])} ${given === undefined ? 'is missing' : 'must be a text'}`,
        'A manifest has apiVersion, kind and metadata',
      );
    }
    this.#take(document, {
      apiVersion: apiVersion as string,
      kind: kind as string,
      value: value as Readonly<Record<string, unknown>>,
      path,
      namespace,
      before: null,
      deleted: false,
      depth,
    });
  }

  #take(document: ManifestDocument, found: Found): void {
    const { apiVersion, kind, value, path, depth } = found;
    if (kind.length > MAX_NAME)
      throw this.#fault(document, [...path, 'kind'], `kind is longer than ${MAX_NAME} characters`);
    const known = kindOf(apiVersion, kind);
    switch (known.is) {
      case 'workload':
        this.#takeWorkload(document, found, known.template);
        return;
      case 'service': {
        const service = this.#parse(document, serviceObject, value, path);
        this.services.push(toServiceRoute(service, service.metadata?.namespace || found.namespace));
        return;
      }
      case 'ingress': {
        const ingress = this.#parse(document, ingressObject, value, path);
        this.ingresses.push(toIngressRoute(ingress, ingress.metadata?.namespace || found.namespace));
        return;
      }
      case 'list': {
        const { items } = this.#parse(
          document,
          z.object({ items: z.nullish(z.array(z.unknown())) }),
          value,
          path,
        );
        if (depth >= MAX_LISTS)
          throw this.#fault(document, path, `lists stand in lists deeper than ${MAX_LISTS}`);
        const of = known.of === null ? null : { apiVersion, kind: known.of };
        for (const [i, item] of (items ?? []).entries()) {
          this.#takeValue(document, item, [...path, 'items', i], of, found.namespace, depth + 1);
        }
        return;
      }
      case 'review': {
        const reviewed = toReviewedObject(this.#parse(document, reviewObject, value, path));
        if (typeof reviewed === 'string') {
          this.#skip(document, found, reviewed, false);
          return;
        }
        if (depth >= MAX_LISTS) throw this.#fault(document, path, 'an AdmissionReview stands in another');
        const { object, namespace } = reviewed;
        const inside = [...path, 'request', 'object'];
        this.#take(document, {
          ...reviewed,
          value: object,
          path: inside,
          namespace: namespace || found.namespace,
          depth: depth + 1,
        });
        return;
      }
      case 'unknown':
        this.#skip(document, found, 'this kind is not known here', makesPods(value));
        return;
      case 'silent':
    }
  }

  #takeWorkload(document: ManifestDocument, found: Found, template: readonly string[]): void {
    const { kind, value, path } = found;
    const own = this.#parse(document, z.object({ metadata: objectMeta }), value, path).metadata;
    if (found.deleted) {
      this.#skip(document, found, 'it is being deleted, so it is admitted', false);
      return;
    }
    const { pod, spec, at } = this.#podOf(document, value, path, template);
    const before =
      kind === 'Pod' && found.before !== null ? this.#imagesBefore(document, found.before, path) : null;
    const images = podImagesOf(spec).filter(({ container, image }) => before?.get(container) !== image);
    this.#images += images.length;
    if (this.#images > MAX_IMAGES)
      throw this.#fault(document, path, `more than ${MAX_IMAGES} images in one file`, 'Split the file');
    const [labels, annotations] = [pod?.labels ?? {}, pod?.annotations ?? {}];
    this.workloads.push({
      file: this.#file,
      document: document.number,
      kind,
      name: own?.name ?? own?.generateName ?? '',
      namespace: own?.namespace || found.namespace,
      labels: new Map(Object.entries(labels).map(([key, label]) => [key, label ?? ''])),
      breakGlassReason: annotations[BREAK_GLASS] ?? null,
      spec,
      images: images.map(({ path: below, ...image }) => ({
        ...image,
        ...document.placeOf([...at, ...below]),
      })),
      ...document.placeOf([...path, 'metadata', 'name']),
    });
  }

  #podOf(
    document: ManifestDocument,
    value: Readonly<Record<string, unknown>>,
    path: readonly PropertyKey[],
    template: readonly string[],
  ) {
    let pod: unknown = value;
    const at: PropertyKey[] = [...path];
    for (const step of template) {
      pod = (pod as Readonly<Record<string, unknown>>)[step];
      at.push(step);
      if (pod === null || typeof pod !== 'object' || Array.isArray(pod)) {
        throw this.#fault(
          document,
          at,
          `${showPath(at)} ${pod === undefined || pod === null ? 'is missing' : 'must be a mapping'}`,
        );
      }
    }
    const { metadata, spec } = this.#parse(
      document,
      z.object({ metadata: objectMeta, spec: podSpec }),
      pod,
      at,
    );
    return { pod: metadata, spec, at: [...at, 'spec'] };
  }

  #imagesBefore(
    document: ManifestDocument,
    before: Readonly<Record<string, unknown>>,
    path: readonly PropertyKey[],
  ): Map<string, string> {
    const { spec } = this.#podOf(document, before, [...path.slice(0, -1), 'oldObject'], []);
    return new Map(podImagesOf(spec).map(({ container, image }) => [container, image]));
  }

  #parse<T extends z.ZodMiniType>(
    document: ManifestDocument,
    schema: T,
    value: unknown,
    at: readonly PropertyKey[],
  ): z.infer<T> {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const { message, path } = describeIssue(result.error.issues[0], value, at);
    throw this.#fault(document, path, message);
  }

  #skip(
    document: ManifestDocument,
    { apiVersion, kind, value, path }: Found,
    reason: string,
    makes: boolean,
  ): void {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    const { name, generateName } = (value.metadata ?? {}) as Readonly<Record<string, unknown>>;
    this.skipped.push({
      file: this.#file,
      document: document.number,
      line: document.placeOf([...path, 'kind']).line,
      kind: group === '' ? kind : `${kind}.${group}`,
      name: [name, generateName].find((given) => typeof given === 'string') ?? '',
      reason,
      makesPods: makes,
    });
  }

  #fault(
    document: ManifestDocument,
    path: readonly PropertyKey[],
    message: string,
    hint?: string,
  ): ManifestError {
    return new ManifestError(
      `document ${document.number}: ${printable(message)}`,
      { file: this.#file, ...document.placeOf(path) },
      hint,
    );
  }
}
