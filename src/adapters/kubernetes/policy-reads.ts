import { parseTime } from '../../base/index.ts';
import {
  readPolicyObject,
  withoutOwnMarks,
  writerOf,
  type Decides,
  type PolicyObject,
  type PolicyObjectKind,
} from '../../cluster/index.ts';
import type { StoredPolicy } from '../../policy/index.ts';
import { toPolicyObject } from './policy-objects.ts';
import type { KubeObject, Resource } from './resources.ts';

/** storedOf gives an object as a stored policy; null for one without a name. `inEffect` tells what decides where it is not valid. */
export function storedOf<P extends Decides>(
  { resource, kind }: { readonly resource: Resource; readonly kind: PolicyObjectKind<P> },
  object: KubeObject,
  inEffect: (name: string) => P | null = () => null,
): StoredPolicy<P> | null {
  const one = toPolicyObject(resource, object);
  if (one === null) return null;
  const read = readPolicyObject(kind, one);
  const same = { ...timesOf(object), name: one.name, version: one.version };
  if (read.fault === null) {
    const { revision } = read.policy;
    return { ...same, document: read.document, revision, updatedBy: writerOf(one.value, revision) };
  }
  const decides = inEffect(one.name);
  return {
    ...same,
    document: writtenOf(resource, one),
    revision: decides?.revision ?? '',
    updatedBy: null,
    invalid: { fault: read.fault, inEffect: decides },
  };
}

/** The document of an object without what the API server and tools write into it. */
function writtenOf({ apiVersion, kind }: Resource, { name, value }: PolicyObject): StoredPolicy['document'] {
  const { labels, annotations } = (value['metadata'] ?? {}) as Readonly<Record<string, unknown>>;
  const document = { apiVersion, kind, metadata: { name, labels, annotations }, spec: value['spec'] ?? {} };
  return withoutOwnMarks(JSON.parse(JSON.stringify(document)) as Record<string, unknown>);
}

/** When it was made, and when anything but its status was written last. */
function timesOf({ metadata }: KubeObject): { createdAt: number; updatedAt: number } {
  const createdAt = parseTime(metadata?.creationTimestamp ?? '') || 0;
  const writes = (metadata?.managedFields ?? [])
    .filter(({ subresource }) => subresource === undefined || subresource === '')
    .map(({ time }) => parseTime(time ?? '') || 0);
  return { createdAt, updatedAt: Math.max(createdAt, ...writes) };
}

/** unreadable is what is told of a deleted object that was not a policy. */
export function unreadable<P>(resource: Resource, object: KubeObject): StoredPolicy<P> {
  const { name, version, value }: PolicyObject = toPolicyObject(resource, object) ?? {
    name: object.metadata?.name ?? '',
    uid: '',
    version: '',
    generation: 0,
    status: {},
    value: {},
  };
  return { ...timesOf(object), name, document: value, revision: '', version, updatedBy: null };
}
