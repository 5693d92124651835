import { isIpoError, type FieldFault } from '../base/index.ts';
import { ConfigurationError } from './configuration-error.ts';
import type { Bundled, KindFaults, Planned } from './kind.ts';

/** planEach plans document after document, and gathers the faults of all. `faultsOf` reads an error that is one of a document. */
export async function planEach(
  bundled: readonly Bundled[],
  plan: (one: Bundled) => Promise<Planned> | Planned,
  faultsOf: (error: unknown) => readonly FieldFault[] | null,
): Promise<readonly Planned[] | KindFaults> {
  const planned: Planned[] = [];
  const faults: KindFaults['faults'][number][] = [];
  for (const one of bundled) {
    try {
      planned.push(await plan(one));
    } catch (error) {
      const fields = (error instanceof ConfigurationError ? error.fields : null) ?? faultsOf(error);
      if (fields === null) throw error;
      const hint = isIpoError(error) ? error.hint : undefined;
      faults.push({ at: one.at, fields, ...(hint !== undefined && { hint }) });
    }
  }
  return faults.length > 0 ? { faults } : planned;
}
