import { isUtf8 } from 'node:buffer';
import { printable } from '../base/index.ts';
import { imagesOf, type ContainerImage, type PodSpec } from './pod.ts';
import { MAX_REVIEW_DEPTH, skim, withoutUnread } from './review-skim.ts';
import { ReviewError } from './review-error.ts';
import { fieldsAt, isFields, listAt, podMetaAt, podSpecAt, textAt, type Fields } from './review-spec.ts';

/** PodReview asks whether a pod may come to be, or may change; flat, as everything after it uses it. */
export interface PodReview {
  readonly kind: 'pod';
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE';
  readonly subresource: 'ephemeralcontainers' | null;
  /** "A server-side dry run is no admission and writes nothing." */
  readonly dryRun: boolean;
  readonly namespace: string;
  readonly pod: string;
  /** Null where the API server gave it none yet. */
  readonly podUid: string | null;
  readonly username: string;
  readonly groups: readonly string[];
  /** "A pod that is being deleted is admitted." */
  readonly deleted: boolean;
  readonly labels: Readonly<Record<string, string | null>>;
  /** The reason of the annotation that asks to bypass, or null. */
  readonly breakGlass: string | null;
  readonly spec: PodSpec;
  /** The pod's `spec` before an UPDATE; null on CREATE. */
  readonly before: PodSpec | null;
}

/** OtherReview asks about what is no pod, or about what brings none: it is admitted. */
export interface OtherReview {
  readonly kind: 'other';
  readonly uid: string;
  /** What it is, as a clause. */
  readonly what: string;
}

/** UnreadableReview can be answered, as its uid is known, but not be decided: nothing the API server sends is. */
export interface UnreadableReview {
  readonly kind: 'unreadable';
  readonly uid: string;
  /** Why, as a clause. */
  readonly what: string;
  readonly dryRun: boolean;
  readonly namespace: string | null;
}

/** Review is what one call of the webhook asks. */
export type Review = PodReview | OtherReview | UnreadableReview;

/** MAX_CONTAINERS bounds the containers of one pod; what has more is refused, since no row could be written for each. */
export const MAX_CONTAINERS = 1000;
const MAX_UID = 128;
const MAX_NAMESPACE = 253;
const MAX_USERNAME = 4096;
/** The API server writes the uid among the first fields. */
const HEAD = 1024;
const HEAD_UID = /^\s*\{[^{}]*"request"\s*:\s*\{\s*"uid"\s*:\s*"([^"\\]{1,128})"/;

/**
 * readReview reads the body of a call: `admission.k8s.io/v1` in JSON, of bounded depth. Throws ReviewError for what cannot be
 * answered even; everything else that is wrong gives an unreadable review.
 */
export function readReview(bytes: Uint8Array): Review {
  const skimmed = skim(bytes, MAX_REVIEW_DEPTH);
  if (skimmed.deep) return unreadableFrom(bytes, `it is deeper than ${MAX_REVIEW_DEPTH} levels`);
  if (!isUtf8(bytes)) throw new ReviewError('invalid_request', 'the body is not UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(withoutUnread(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), skimmed));
  } catch {
    throw new ReviewError('invalid_request', 'the body is not JSON');
  }
  return toReview(value);
}

/** unreadableFrom gives the answerable part of a body that is not parsed; `what` says why as a clause. Throws ReviewError. */
export function unreadableFrom(bytes: Uint8Array, what: string): UnreadableReview {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD)).toString('latin1');
  const [, uid] = HEAD_UID.exec(head) ?? [];
  if (uid === undefined) throw new ReviewError('too_large', `the AdmissionReview cannot be read: ${what}`);
  return { kind: 'unreadable', uid, what, dryRun: false, namespace: null };
}

/** toReview takes a parsed AdmissionReview apart. Throws ReviewError for one that cannot be answered even. */
export function toReview(value: unknown): Review {
  if (!isFields(value) || value.kind !== 'AdmissionReview')
    throw new ReviewError('invalid_request', 'the body is no AdmissionReview');
  if (value.apiVersion !== 'admission.k8s.io/v1')
    throw new ReviewError('invalid_request', 'the AdmissionReview is not of version admission.k8s.io/v1');
  const { request } = value;
  if (!isFields(request)) throw new ReviewError('invalid_request', 'the AdmissionReview holds no request');
  const { uid } = request;
  if (typeof uid !== 'string' || uid === '' || uid.length > MAX_UID)
    throw new ReviewError('invalid_request', `request.uid must be a text of 1 to ${MAX_UID} characters`);
  const dryRun = request.dryRun === true;
  try {
    return toPodReview(request, uid, dryRun);
  } catch (error) {
    if (!(error instanceof ReviewError)) throw error;
    const { namespace } = request;
    const known = typeof namespace === 'string' && namespace.length <= MAX_NAMESPACE;
    return { kind: 'unreadable', uid, what: error.message, dryRun, namespace: known ? namespace : null };
  }
}

function toPodReview(request: Fields, uid: string, dryRun: boolean): PodReview | OtherReview {
  const operation = textAt(request.operation, 'request.operation', 64);
  if (operation !== 'CREATE' && operation !== 'UPDATE')
    return { kind: 'other', uid, what: `the operation ${printable(operation, 40)}, which brings no image` };
  const subresource = textAt(request.subResource, 'request.subResource', 253);
  if (!isPod(request) || (subresource !== '' && subresource !== 'ephemeralcontainers'))
    return { kind: 'other', uid, what: 'another resource than pods and pods/ephemeralcontainers' };
  const object = fieldsAt(request.object, 'request.object');
  if (object === null) throw new ReviewError('invalid_request', 'request.object is missing');
  const meta = podMetaAt(object.metadata, 'request.object.metadata');
  const user = fieldsAt(request.userInfo, 'request.userInfo') ?? {};
  const groups = listAt(user.groups, 'request.userInfo.groups');
  for (const group of groups) {
    if (typeof group !== 'string')
      throw new ReviewError('invalid_request', 'request.userInfo.groups must be a list of texts');
  }
  const old = operation === 'UPDATE' ? fieldsAt(request.oldObject, 'request.oldObject') : null;
  const spec = podSpecAt(object.spec, 'request.object.spec');
  if (countContainers(spec) > MAX_CONTAINERS)
    throw new ReviewError('too_large', `the pod has more than ${MAX_CONTAINERS} containers`);
  return {
    kind: 'pod',
    uid,
    operation,
    subresource: subresource === '' ? null : subresource,
    dryRun,
    namespace: textAt(request.namespace, 'request.namespace', MAX_NAMESPACE),
    pod: meta.name || textAt(request.name, 'request.name', MAX_NAMESPACE),
    podUid: meta.uid,
    username: textAt(user.username, 'request.userInfo.username', MAX_USERNAME),
    groups: groups as readonly string[],
    deleted: operation === 'UPDATE' && meta.deleted,
    labels: meta.labels,
    breakGlass: meta.breakGlass,
    spec,
    before: old === null ? null : podSpecAt(old.spec, 'request.oldObject.spec'),
  };
}

/** By the resource that the webhook was called for; reviews that somebody kept may name the kind alone. */
function isPod(request: Fields): boolean {
  const resource = fieldsAt(request.resource, 'request.resource');
  if (resource !== null) return resource.resource === 'pods' && (resource.group ?? '') === '';
  const kind = fieldsAt(request.kind, 'request.kind');
  return kind?.kind === 'Pod' && (kind.group ?? '') === '';
}

function countContainers({ containers, initContainers, ephemeralContainers }: PodSpec): number {
  return (containers?.length ?? 0) + (initContainers?.length ?? 0) + (ephemeralContainers?.length ?? 0);
}

/** imagesToDecide gives the images of a review that are decided: "on UPDATE only images that are new or changed". */
export function imagesToDecide({ spec, before, subresource }: PodReview): readonly ContainerImage[] {
  const images = imagesOf(spec);
  if (before === null) return subresource === null ? images : images.filter(isEphemeral);
  const known = new Map(imagesOf(before).map(({ container, image }) => [container, image]));
  return images.filter(({ container, image }) => known.get(container) !== image);
}

function isEphemeral({ role }: ContainerImage): boolean {
  return role === 'ephemeral';
}
