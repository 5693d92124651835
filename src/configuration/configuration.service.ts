import type { AuditLog } from '../accounts/index.ts';
import { canonicalJson, isIpoError, sha256Hex } from '../base/index.ts';
import { API_VERSION, CONFIGURATION, readBundle, toRefusal, type Bundle } from './bundle.ts';
import { ConfigurationError } from './configuration-error.ts';
import type { Actor, Applied, Json, Kind, Planned } from './kind.ts';

/** Exported is the configuration: its documents in their order, and what is left out, a sentence each. */
export interface Exported {
  readonly documents: readonly Json[];
  readonly left: readonly string[];
}

/** ImportRequest says what is imported and how. */
export interface ImportRequest {
  readonly documents: readonly unknown[];
  /** Also deletes what the bundle does not have, of the kinds that it says to hold whole. */
  readonly prune: boolean;
  /** Only compares. */
  readonly dryRun: boolean;
  /** Id of the difference that a person has seen; null to import whatever it is now. */
  readonly difference: string | null;
  /** Who imports, and by which call, for the audit log. */
  readonly actor: Actor;
  readonly path: string;
}

/** ImportedItem is what became of one object. */
export interface ImportedItem extends Omit<Planned, 'rehearse' | 'apply'> {
  readonly kind: string;
  readonly outcome: 'unchanged' | 'planned' | 'applied' | 'not_applied';
  /** Why it was not applied. */
  readonly error: string | null;
}

/** Imported is what became of a bundle. */
export interface Imported {
  /** Id of the difference: equal for equal differences. */
  readonly difference: string;
  readonly changed: number;
  readonly items: readonly ImportedItem[];
  /** The last policy that was written. */
  readonly written: NonNullable<Applied['written']> | null;
}

/** Configuration is all that a service is configured with over its API. */
export interface Configuration {
  export(): Promise<Exported>;
  /**
   * Compares a bundle with what stands, tries the changes of the cluster's objects there, then makes those of the database in one
   * transaction, then those of the cluster one after another. Throws `invalid_request` with every fault, and `precondition_failed` where the
   * difference is another one than was seen.
   */
  import(request: ImportRequest): Promise<Imported>;
}

/** ConfigurationDeps are the kinds, in the order in which they are exported and applied, and what writes are made with. */
export interface ConfigurationDeps {
  readonly kinds: readonly Kind[];
  readonly audit: AuditLog;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
}

interface Step {
  readonly kind: Kind;
  readonly planned: Planned;
}

/** openConfiguration joins the kinds. */
export function openConfiguration({ kinds, audit, together }: ConfigurationDeps): Configuration {
  const names = kinds.map(({ kind }) => kind);

  const apply = async ({ planned }: Step, { actor, path }: ImportRequest): Promise<Imported['written']> => {
    if (planned.apply === undefined) return null;
    const { written, ...entry } = await planned.apply(`user:${actor.accountId}`, actor);
    await audit.record({ ...entry, actor, path });
    return written ?? null;
  };

  return {
    async export() {
      const listed = await Promise.all(kinds.map((kind) => kind.list()));
      const head = { apiVersion: API_VERSION, kind: CONFIGURATION, spec: { complete: names } };
      return {
        documents: [head, ...listed.flatMap(({ documents }) => documents)],
        left: listed.flatMap(({ left }) => left),
      };
    },
    async import(request) {
      const bundle = readBundle(request.documents, names);
      if (request.prune && bundle.complete.length === 0)
        throw new ConfigurationError(
          'invalid_request',
          'prune needs a document Configuration, which lists the kinds that the file has completely',
          {
            hint: `Begin the file with a document of the kind ${CONFIGURATION}, as ipo config export does, or import without prune`,
          },
        );
      const steps = await planAll(kinds, bundle, request.prune);
      const difference = idOf(steps);
      if (request.difference !== null && request.difference !== difference)
        throw new ConfigurationError(
          'precondition_failed',
          'the configuration has been changed since the difference was shown',
          { hint: 'Look at the difference again: ipo config import FILE --dry-run' },
        );
      const due = steps.filter(({ planned }) => planned.change !== 'unchanged');
      const shown = (outcomes: ReadonlyMap<Step, string | null>): Pick<Imported, 'items'> => ({
        items: steps.map((step) => toItem(step, outcomes)),
      });
      const seen = { difference, changed: due.length };
      if (request.dryRun || due.length === 0) return { ...seen, ...shown(new Map()), written: null };

      const [inDatabase, inCluster] = [of(due, 'database'), of(due, 'cluster')];
      for (const { planned } of inCluster) await planned.rehearse?.();
      const outcomes = new Map<Step, string | null>();
      const { actor, path, prune } = request;
      let written: Imported['written'] = null;
      await together(async () => {
        for (const step of inDatabase) written = (await apply(step, request)) ?? written;
        const counts = countsOf(due);
        await audit.record({
          actor,
          path,
          action: 'config_import',
          target: difference.slice(0, 12),
          detail: { prune, ...counts },
        });
      });
      for (const step of inDatabase) outcomes.set(step, null);
      let fault: string | null = null;
      for (const step of inCluster) {
        if (fault === null)
          try {
            written = (await together(() => apply(step, request))) ?? written;
          } catch (error) {
            if (!isIpoError(error)) throw error;
            fault = error.message;
          }
        outcomes.set(step, fault);
      }
      return { ...seen, ...shown(outcomes), written };
    },
  };
}

async function planAll(kinds: readonly Kind[], bundle: Bundle, prune: boolean): Promise<readonly Step[]> {
  const steps: Step[] = [];
  const faults = [];
  for (const kind of kinds) {
    const bundled = bundle.byKind.get(kind.kind) ?? [];
    const prunes = prune && bundle.complete.includes(kind.kind);
    if (bundled.length === 0 && !prunes) continue;
    const planned = await kind.plan(bundled, prunes);
    if ('faults' in planned) faults.push(...planned.faults);
    else steps.push(...planned.map((one) => ({ kind, planned: one })));
  }
  if (faults.length > 0) throw toRefusal({ faults: faults.toSorted((a, b) => a.at - b.at) });
  return steps;
}

const of = (steps: readonly Step[], place: Kind['place']): readonly Step[] =>
  steps.filter(({ kind }) => kind.place === place);

function toItem(step: Step, outcomes: ReadonlyMap<Step, string | null>): ImportedItem {
  const { name, change, before, after, notes } = step.planned;
  const error = outcomes.get(step);
  const outcome = change === 'unchanged' ? 'unchanged' : outcomeOf(error);
  return { kind: step.kind.kind, name, change, before, after, notes, outcome, error: error ?? null };
}

function countsOf(due: readonly Step[]): Json {
  const count = (change: Planned['change']) => due.filter(({ planned }) => planned.change === change).length;
  return { created: count('create'), updated: count('update'), deleted: count('delete') };
}

function idOf(steps: readonly Step[]): string {
  const changes = steps
    .filter(({ planned }) => planned.change !== 'unchanged')
    .map(({ kind, planned: { name, change, before, after } }) => [kind.kind, name, change, before, after]);
  return sha256Hex(canonicalJson(changes));
}

/** Undefined where nothing was written. */
function outcomeOf(error: string | null | undefined): ImportedItem['outcome'] {
  if (error === undefined) return 'planned';
  return error === null ? 'applied' : 'not_applied';
}
