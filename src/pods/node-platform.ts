import { toPlatformName } from '../image/index.ts';

/** PlatformOfNode gives the platform of a node (`linux/arm64`) by its name, or null where that is not known. */
export type PlatformOfNode = (node: string) => string | null;

/** PlacedSpec is what a pod's `spec` says of where it may run; read only here, and what is not as Kubernetes writes it says nothing. */
export interface PlacedSpec {
  readonly nodeName?: unknown;
  readonly nodeSelector?: unknown;
  readonly affinity?: unknown;
  readonly os?: unknown;
}

const ARCHITECTURE = 'kubernetes.io/arch';
const OS = 'kubernetes.io/os';

/**
 * nodePlatformOf gives the platform of the node that a pod runs on, or of every node that it may run on; null where that is not known. What
 * the scheduler must obey counts (`nodeName`, `nodeSelector`, required affinity), not what it may prefer.
 */
export function nodePlatformOf(spec: PlacedSpec, platformOf: PlatformOfNode): string | null {
  const { nodeName, nodeSelector } = spec;
  if (typeof nodeName === 'string' && nodeName !== '') return platformOf(nodeName);
  const selected = (label: string): string | null =>
    textOf(at(nodeSelector, label)) ?? requiredOf(spec.affinity, label);
  const architecture = selected(ARCHITECTURE);
  if (architecture === null) return null;
  return toPlatformName({ architecture, os: selected(OS) ?? textOf(at(spec.os, 'name')) ?? 'linux' });
}

/** The one value that every alternative of a required affinity asks of a label, or null. */
function requiredOf(affinity: unknown, label: string): string | null {
  const required = at(at(affinity, 'nodeAffinity'), 'requiredDuringSchedulingIgnoredDuringExecution');
  const terms = at(required, 'nodeSelectorTerms');
  if (!Array.isArray(terms) || terms.length === 0 || terms.length > MOST) return null;
  const asked = new Set(terms.map((term: unknown) => valueOf(at(term, 'matchExpressions'), label)));
  const [only = null] = asked;
  return asked.size === 1 ? only : null;
}

/** More alternatives than anybody writes are not looked at: this runs for every review. */
const MOST = 50;

function valueOf(expressions: unknown, label: string): string | null {
  if (!Array.isArray(expressions) || expressions.length > MOST) return null;
  for (const one of expressions as unknown[]) {
    const values = at(one, 'values');
    if (at(one, 'key') !== label || at(one, 'operator') !== 'In' || !Array.isArray(values)) continue;
    if (values.length === 1) return textOf(values[0]);
  }
  return null;
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
