import type { StoredDocuments } from '../../src/app/index.ts';
import { isIpoError } from '../../src/base/index.ts';
import { hostFault } from '../../src/channels/index.ts';
import { parsePolicyValue } from '../../src/policy/index.ts';
import { NEWEST, type UpgradePlan } from '../../src/releases/index.ts';

/** DocumentFinding is a stored document that the target changes or refuses. */
export interface DocumentFinding {
  /** `policy web`, `channel on-call`, `runtime rule shells`, `licence`. */
  readonly document: string;
  /** `changed`: a migration rewrites it; `refused`: a person has to. */
  readonly state: 'changed' | 'refused';
  readonly note: string;
}

/** judgeDocuments tells what an upgrade does to the documents of a database; `allowedHosts` are those of the settings, none is any. */
export function judgeDocuments(
  plan: UpgradePlan,
  stored: StoredDocuments,
  allowedHosts: readonly string[],
): readonly DocumentFinding[] {
  const names = new Set(plan.refused.map(({ name }) => name));
  const found: DocumentFinding[] = [];
  for (const { name, document } of stored.policies) {
    const value = parsed(document);
    if (names.has('spec.runtime') && hasRuntime(value))
      found.push({
        document: `policy ${name}`,
        state: 'changed',
        note: 'migration 0031 removes spec.runtime from the stored policy; remove it from your file as well',
      });
    const fault = plan.to === NEWEST ? faultOf(value) : null;
    if (fault !== null) found.push({ document: `policy ${name}`, state: 'refused', note: fault });
  }
  for (const { name, host } of plan.to === NEWEST ? stored.channels : []) {
    const fault = hostFault(host, allowedHosts);
    if (fault !== null)
      found.push({
        document: `channel ${name}`,
        state: 'refused',
        note: `its address ${fault}; add the host to trackers.allowedHosts, or edit the channel`,
      });
  }
  if (names.has('action: block'))
    for (const name of stored.blockingRules)
      found.push({
        document: `runtime rule ${name}`,
        state: 'changed',
        note: 'migration 0031 changes its action to notify, and adds a RuntimePolicy that is switched off',
      });
  if (stored.licenceWithoutNodes && plan.refused.some(({ release }) => release === '1.3.0'))
    found.push({
      document: 'licence',
      state: 'refused',
      note: 're-activate with a key issued by licence service 1.3.0 or later',
    });
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function specOf(value: unknown): object | null {
  const spec = value !== null && typeof value === 'object' ? (value as { spec?: unknown }).spec : null;
  return spec !== null && typeof spec === 'object' ? spec : null;
}

function hasRuntime(value: unknown): boolean {
  const spec = specOf(value);
  return spec !== null && Object.hasOwn(spec, 'runtime');
}

/** What is wrong with a policy beside the field that a migration takes out; null for nothing. */
function faultOf(value: unknown): string | null {
  const spec = specOf(value);
  const { runtime: _, ...rest } = (spec ?? {}) as Readonly<Record<string, unknown>>;
  try {
    parsePolicyValue(spec === null ? value : { ...(value as object), spec: rest });
    return null;
  } catch (error) {
    if (isIpoError(error)) return error.message;
    throw error;
  }
}
