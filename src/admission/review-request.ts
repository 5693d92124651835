import { isUtf8 } from 'node:buffer';
import { printable } from '../base/index.ts';
import { podImagesOf, type ContainerImage, type PodSpec } from '../pods/index.ts';
import type { PodOwner } from './ports.ts';
import { MAX_REVIEW_DEPTH, skim, withoutUnread } from './review-skim.ts';
import { ReviewError } from './review-error.ts';
import { fieldsAt, isFields, listAt, podMetaAt, podSpecAt, textAt, type Fields } from './review-spec.ts';

/** PodReview asks whether a pod may come to be, or may change; flat, as everything after it uses it. */
export interface PodReview {
  readonly kind: 'pod';
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE';
  readonly subresource: 'ephemeralcontainers' | null;
  /** A server-side dry run is not an admission and writes nothing. */
  readonly dryRun: boolean;
  readonly namespace: string;
  readonly pod: string;
  /** Null where the API server gave it none yet. */
  readonly podUid: string | null;
  readonly username: string;
  readonly groups: readonly string[];
  /** A pod that is being deleted is admitted. */
  readonly deleted: boolean;
  readonly labels: Readonly<Record<string, string | null>>;
  /** The reason of the annotation that asks to bypass, or null. */
  readonly breakGlass: string | null;
  /** What makes such pods, or null. */
  readonly owner: PodOwner | null;
  readonly spec: PodSpec;
  /** The pod's `spec` before an UPDATE; null on CREATE. */
  readonly before: PodSpec | null;
}

/** OtherReview asks about what is not a pod, or about what brings none: it is admitted. */
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
  /** False also where it is not known. */
  readonly dryRun: boolean;
  /** Null where it is not known: then every policy is asked. */
  readonly namespace: string | null;
  readonly subresource: 'ephemeralcontainers' | null;
  /** Empty where they are not known. */
  readonly pod: string;
  readonly username: string;
}

/** Review is what one call of the webhook asks. */
export type Review = PodReview | OtherReview | UnreadableReview;

/** MAX_IMAGES bounds the images of one pod, container by container; what has more is refused: a row is written for each. */
const MAX_IMAGES = 300;
const MAX_UID = 128;
const MAX_NAMESPACE = 253;
const MAX_USERNAME = 4096;
/** The API server writes everything but the objects, `dryRun` and `options` before them. */
const HEAD = 65_536;
const TAIL = 4096;
/** In a text the quotes would be escaped, so this is a key. */
const OBJECT = ',"object":';
const HEAD_UID = /^\s*\{[^{}]*"request"\s*:\s*\{\s*"uid"\s*:\s*"([^"\\]{1,128})"/;
/** As the API server writes it, behind the objects. */
const DRY_RUN = /,"dryRun":true(?:,"options":[^]*)?\}\}\s*$/;

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
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const head = body.toString('utf8', 0, Math.min(body.length, HEAD));
  const request = requestBefore(head);
  const uid = request?.uid ?? HEAD_UID.exec(head)?.[1];
  if (typeof uid !== 'string' || uid === '' || uid.length > MAX_UID)
    throw new ReviewError('too_large', `the AdmissionReview cannot be read: ${what}`);
  const dryRun = DRY_RUN.test(body.toString('latin1', Math.max(0, body.length - TAIL)));
  return unreadable(request ?? {}, uid, what, dryRun);
}

/** The fields of a request that stand before its objects, or null where they are not written as the API server writes them. */
function requestBefore(head: string): Fields | null {
  const at = head.indexOf(OBJECT);
  if (at === -1 || skim(Buffer.from(head.slice(0, at)), MAX_REVIEW_DEPTH).deep) return null;
  try {
    const value: unknown = JSON.parse(`${head.slice(0, at)}}}`);
    return isFields(value) && isFields(value.request) ? value.request : null;
  } catch {
    return null;
  }
}

function unreadable(request: Fields, uid: string, what: string, dryRun: boolean): UnreadableReview {
  const textOf = (value: unknown, most: number): string =>
    typeof value === 'string' && value.length <= most ? value : '';
  const { userInfo, namespace } = request;
  return {
    kind: 'unreadable',
    uid,
    what,
    dryRun,
    namespace: textOf(namespace, MAX_NAMESPACE) || null,
    subresource: request.subResource === 'ephemeralcontainers' ? request.subResource : null,
    pod: textOf(request.name, MAX_NAMESPACE),
    username: isFields(userInfo) ? textOf(userInfo.username, MAX_USERNAME) : '',
  };
}

/** toReview takes a parsed AdmissionReview apart. Throws ReviewError for one that cannot be answered even. */
export function toReview(value: unknown): Review {
  if (!isFields(value) || value.kind !== 'AdmissionReview')
    throw new ReviewError('invalid_request', 'the body is not an AdmissionReview');
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
    return unreadable(request, uid, error.message, dryRun);
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
  if (countImages(spec) > MAX_IMAGES)
    throw new ReviewError('too_large', `the pod names more than ${MAX_IMAGES} images`);
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
    owner: meta.owner,
    spec,
    before: old === null ? null : podSpecAt(old.spec, 'request.oldObject.spec'),
  };
}

/** By the resource that the webhook was called for; stored reviews may name only the kind. */
function isPod(request: Fields): boolean {
  const resource = fieldsAt(request.resource, 'request.resource');
  if (resource !== null) return resource.resource === 'pods' && (resource.group ?? '') === '';
  const kind = fieldsAt(request.kind, 'request.kind');
  return kind?.kind === 'Pod' && (kind.group ?? '') === '';
}

function countImages({ containers, initContainers, ephemeralContainers, volumes }: PodSpec): number {
  const lists = [containers, initContainers, ephemeralContainers, volumes?.filter(({ image }) => image)];
  return lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
}

/** imagesToDecide gives the images of a review that are decided: "on UPDATE only images that are new or changed". */
export function imagesToDecide({ spec, before, subresource }: PodReview): readonly ContainerImage[] {
  const images = podImagesOf(spec);
  if (before === null) return subresource === null ? images : images.filter(isEphemeral);
  const known = new Map(podImagesOf(before).map(({ container, image }) => [container, image]));
  return images.filter(({ container, image }) => known.get(container) !== image);
}

function isEphemeral({ role }: ContainerImage): boolean {
  return role === 'ephemeral';
}
