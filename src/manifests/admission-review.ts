import * as z from 'zod/mini';
import { text } from '../pods/index.ts';

/** reviewObject reads from an AdmissionReview (v1 and v1beta1) which pod is decided. */
export const reviewObject = z.object({
  request: z.nullish(
    z.object({
      kind: z.nullish(z.object({ group: text, version: text, kind: text })),
      namespace: text,
      operation: text,
      object: z.nullish(z.record(z.string(), z.unknown())),
      oldObject: z.optional(z.unknown()), // not asked for but on UPDATE; captures have other things in its place
    }),
  ),
});

/** ReviewedObject is what an AdmissionReview asks to be decided. */
export interface ReviewedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | null;
  readonly object: Readonly<Record<string, unknown>>;
  /** The object before an UPDATE: "only images that are new or changed are decided". */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** On UPDATE "a pod that is being deleted is admitted"; on CREATE the API server drops the mark. */
  readonly deleted: boolean;
}

/** toReviewedObject gives the object under review, or says in a clause why there is none. */
export function toReviewedObject({ request }: z.infer<typeof reviewObject>): ReviewedObject | string {
  if (!request) return 'it holds no request';
  const { object, oldObject, operation, namespace } = request;
  const { group, version, kind } = request.kind ?? {};
  if (operation === 'DELETE') return 'a DELETE admits nothing';
  if (!object) return 'its request holds no object';
  const ownVersion = object.apiVersion;
  const ownKind = object.kind;
  return {
    apiVersion: typeof ownVersion === 'string' ? ownVersion : `${group ? `${group}/` : ''}${version ?? ''}`,
    kind: typeof ownKind === 'string' ? ownKind : (kind ?? ''),
    namespace: namespace ?? null,
    object,
    before: operation === 'UPDATE' && isObject(oldObject) ? oldObject : null,
    deleted:
      operation === 'UPDATE' && isObject(object.metadata) && Boolean(object.metadata.deletionTimestamp),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
