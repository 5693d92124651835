import { BREAK_GLASS, type PodSpec } from '../pods/index.ts';
import type { PodOwner } from './ports.ts';
import { ReviewError } from './review-error.ts';

/** No list or mapping of a pod comes near; `bounded.ts` has the same bound for manifests. */
const MOST = 10_000;

/** Fields is a JSON object whose fields are still to be looked at. */
export type Fields = Readonly<Record<string, unknown>>;

/** PodMeta is what a review reads of a pod's `metadata`. */
export interface PodMeta {
  /** The name, else the prefix of the name that will be made; empty when there is neither. */
  readonly name: string;
  readonly uid: string | null;
  readonly deleted: boolean;
  /** Every value is a text or null. */
  readonly labels: Readonly<Record<string, string | null>>;
  /** The reason of the annotation that asks to bypass, or null. */
  readonly breakGlass: string | null;
  /** What makes such pods, or null. */
  readonly owner: PodOwner | null;
}

/** isFields tells whether a JSON value is an object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** fieldsAt holds that a value is an object, or absent. */
export function fieldsAt(value: unknown, path: string): Fields | null {
  if (value === undefined || value === null) return null;
  if (!isFields(value)) throw fault(path, 'a mapping');
  return value;
}

/** textAt holds that a value is a text of at most `most` characters, or absent, which is empty. */
export function textAt(value: unknown, path: string, most = Infinity): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw fault(path, 'a text');
  if (value.length > most) throw new ReviewError('too_large', `${path} is longer than ${most} characters`);
  return value;
}

/** listAt holds that a value is a list of bounded length, or absent. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return NONE;
  if (!Array.isArray(value)) throw fault(path, 'a list');
  if (value.length > MOST) throw new ReviewError('too_large', `${path} has more than ${MOST} entries`);
  return value;
}

const NONE: readonly unknown[] = [];

/** podMetaAt reads `metadata`; names longer than Kubernetes has them are refused. */
export function podMetaAt(value: unknown, path: string): PodMeta {
  const meta = fieldsAt(value, path) ?? {};
  const annotations = textsAt(meta.annotations, `${path}.annotations`);
  const name = textAt(meta.name, `${path}.name`, 253);
  const prefix = textAt(meta.generateName, `${path}.generateName`, 253);
  return {
    name: name === '' ? prefix : name,
    uid: textAt(meta.uid, `${path}.uid`, 128) || null,
    deleted: Boolean(meta.deletionTimestamp),
    labels: textsAt(meta.labels, `${path}.labels`),
    breakGlass: annotations[BREAK_GLASS] ?? null,
    owner: ownerOf(meta.ownerReferences),
  };
}

/** Only events are told of it: what is not as Kubernetes writes it is not an owner, and keeps nothing from being decided. */
function ownerOf(value: unknown): PodOwner | null {
  if (!Array.isArray(value) || value.length > MOST) return null;
  const owner: unknown = value.find((one) => isFields(one) && one.controller === true);
  if (!isFields(owner)) return null;
  const { apiVersion, kind, name, uid } = owner;
  return isName(apiVersion) && isName(kind) && isName(name) && isName(uid)
    ? { apiVersion, kind, name, uid }
    : null;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 253;
}

function textsAt(value: unknown, path: string): Readonly<Record<string, string | null>> {
  const fields = fieldsAt(value, path);
  if (fields === null) return {};
  let count = 0;
  for (const key in fields) {
    const text = fields[key];
    if (text !== null && typeof text !== 'string') throw fault(`${path}.${key.slice(0, 100)}`, 'a text');
    if ((count += 1) > MOST) throw new ReviewError('too_large', `${path} has more than ${MOST} entries`);
  }
  return fields as Readonly<Record<string, string | null>>;
}

/**
 * podSpecAt checks a pod's `spec` by hand, field for field as the schema `podSpec` does for manifests (a test holds the two
 * equal), and gives it as it is: a copy would cost more than everything that is done with it.
 */
export function podSpecAt(value: unknown, path: string): PodSpec {
  if (!isFields(value)) throw fault(path, 'a mapping');
  checkContainers(value.containers, path, 'containers');
  checkContainers(value.initContainers, path, 'initContainers');
  checkContainers(value.ephemeralContainers, path, 'ephemeralContainers');
  if (!isFlag(value.hostNetwork)) throw fault(`${path}.hostNetwork`, 'true or false');
  if (!isFlag(value.hostPID)) throw fault(`${path}.hostPID`, 'true or false');
  if (!isFlag(value.hostIPC)) throw fault(`${path}.hostIPC`, 'true or false');
  const security = fieldsAt(value.securityContext, `${path}.securityContext`);
  if (security !== null) checkUser(security, `${path}.securityContext`);
  for (const volume of listAt(value.volumes, `${path}.volumes`)) {
    if (!isFields(volume)) throw fault(`${path}.volumes`, 'a list of mappings');
    if (!isText(volume.name)) throw fault(`${path}.volumes.name`, 'a text');
    const image = fieldsAt(volume.image, `${path}.volumes.image`);
    if (!isText(image?.reference)) throw fault(`${path}.volumes.image.reference`, 'a text');
  }
  return value as PodSpec;
}

function checkContainers(value: unknown, path: string, list: string): void {
  if (value === undefined || value === null) return;
  const containers = listAt(value, `${path}.${list}`);
  for (let i = 0; i < containers.length; i += 1) {
    const one = containers[i];
    if (!isFields(one)) throw fault(`${path}.${list}[${i}]`, 'a mapping');
    const { name, image, ports, securityContext } = one;
    if (!isText(name)) throw fault(`${path}.${list}[${i}].name`, 'a text');
    if (!isText(image)) throw fault(`${path}.${list}[${i}].image`, 'a text');
    if (ports !== undefined && ports !== null) checkPorts(ports, `${path}.${list}[${i}].ports`);
    if (securityContext !== undefined && securityContext !== null)
      checkSecurity(securityContext, `${path}.${list}[${i}].securityContext`);
  }
}

function checkPorts(value: unknown, path: string): void {
  for (const port of listAt(value, path)) {
    if (!isFields(port)) throw fault(path, 'a list of mappings');
    if (!isWhole(port.hostPort)) throw fault(`${path}.hostPort`, 'a whole number');
    if (!isWhole(port.containerPort)) throw fault(`${path}.containerPort`, 'a whole number');
  }
}

function checkSecurity(value: unknown, path: string): void {
  const security = fieldsAt(value, path);
  if (security === null) return;
  if (!isFlag(security.privileged)) throw fault(`${path}.privileged`, 'true or false');
  checkUser(security, path);
  const capabilities = fieldsAt(security.capabilities, `${path}.capabilities`);
  if (capabilities === null) return;
  for (const added of listAt(capabilities.add, `${path}.capabilities.add`)) {
    if (typeof added !== 'string') throw fault(`${path}.capabilities.add`, 'a list of texts');
  }
}

function checkUser(security: Fields, path: string): void {
  if (!isFlag(security.runAsNonRoot)) throw fault(`${path}.runAsNonRoot`, 'true or false');
  if (!isWhole(security.runAsUser)) throw fault(`${path}.runAsUser`, 'a whole number');
  const windows = fieldsAt(security.windowsOptions, `${path}.windowsOptions`);
  if (windows !== null && !isFlag(windows.hostProcess))
    throw fault(`${path}.windowsOptions.hostProcess`, 'true or false');
}

function isFlag(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'boolean';
}

function isText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function isWhole(value: unknown): boolean {
  return value === undefined || value === null || Number.isSafeInteger(value);
}

function fault(path: string, wanted: string): ReviewError {
  return new ReviewError('invalid_request', `${path} must be ${wanted}`);
}
