import * as models from '@kubernetes/client-node';
import type { Manifest } from './helm.ts';

interface Attribute {
  readonly baseName: string;
  readonly type: string;
}
interface Model {
  getAttributeTypeMap(): readonly Attribute[];
}

/**
 * unknownFields gives the paths in an object that its kind does not have, as the API server would refuse them, and those whose
 * value is of another kind than the API's. Null for kinds that are no part of Kubernetes itself.
 */
export function unknownFields(object: Manifest): readonly string[] | null {
  if (!isOwn(object.apiVersion)) return null;
  return check(object, `V1${object.kind}`, `${object.kind} ${object.metadata.name}`);
}

/** Groups of Kubernetes itself have no dot, or end in `.k8s.io`. */
function isOwn(apiVersion: string): boolean {
  const [group, version] = apiVersion.split('/');
  return version === undefined || !group?.includes('.') || /^(?!wgpolicy).*\.k8s\.io$/.test(group);
}

function check(value: unknown, type: string, path: string): readonly string[] {
  const list = /^Array<(.+)>$/.exec(type)?.[1];
  if (list !== undefined) {
    return Array.isArray(value)
      ? value.flatMap((entry, at) => check(entry, list, `${path}[${at}]`))
      : [`${path} is no list`];
  }
  const entries = /^\{ \[key: string\]: (.+); \}$/.exec(type)?.[1];
  if (entries !== undefined) {
    return isObject(value)
      ? Object.entries(value).flatMap(([key, entry]) => check(entry, entries, `${path}.${key}`))
      : [`${path} is no object`];
  }
  if (['string', 'number', 'boolean'].includes(type)) {
    return typeof value === type ? [] : [`${path} is no ${type}`];
  }
  const model = (models as unknown as Readonly<Record<string, Model | undefined>>)[type];
  if (model?.getAttributeTypeMap === undefined) return [];
  if (!isObject(value)) return [`${path} is no object`];
  const attributes = new Map(
    model.getAttributeTypeMap().map((attribute) => [attribute.baseName, attribute.type]),
  );
  return Object.entries(value).flatMap(([key, inner]) => {
    const found = attributes.get(key);
    if (found === undefined) return [`${path}.${key} is not known`];
    return inner === null ? [`${path}.${key} is null`] : check(inner, found, `${path}.${key}`);
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
