import { gateOf } from '../../decision/index.ts';
import type { PolicyChangeDocument } from '../result.ts';

/** Fields that can change any label: what was only recorded is now refused, or other namespaces are governed. */
const ANY_LABEL = ['spec.enforcement', 'spec.targetNamespaces'];

/** FieldBehind is the policy field that a label points to, with its change where the draft changes it. */
export interface FieldBehind {
  readonly path: string;
  readonly change: PolicyChangeDocument | null;
}

/**
 * fieldBehind gives the field to point at for a denial label: the first changed field that belongs to the label, else
 * a changed one that can be behind any label, else the field that names the gate. A label that is none of ours (a
 * quota, `other`) points at the whole spec.
 */
export function fieldBehind(label: string, changes: readonly PolicyChangeDocument[] | null): FieldBehind {
  const own = gateOf(label)?.fields ?? [];
  for (const path of [...own, ...ANY_LABEL]) {
    const change = changes?.find(
      (candidate) => candidate.path === path || candidate.path.startsWith(`${path}.`),
    );
    if (change !== undefined) return { path: change.path, change };
  }
  return { path: own[0] ?? 'spec', change: null };
}
