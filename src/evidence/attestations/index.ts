import { admissionEnforced } from './admission-enforced.ts';
import type { Attestation, AttestationContext, AttestationRule, Judge } from './attestation.ts';
import { breakGlassAccountedFor } from './break-glass-accounted-for.ts';
import { contextAwareThresholds } from './context-aware-thresholds.ts';
import { endOfLifeHandled } from './end-of-life-handled.ts';
import { imagesSigned } from './images-signed.ts';
import { knownExploitedHandled } from './known-exploited-handled.ts';
import { ledgerIntact } from './ledger-intact.ts';
import { patchWindow48Hours } from './patch-window-48-hours.ts';
import { patchWindowTwoWeeks } from './patch-window-two-weeks.ts';
import { producerStatementHonoured } from './producer-statement-honoured.ts';
import { provenanceRequired } from './provenance-required.ts';
import { remediationWindows } from './remediation-windows.ts';
import { runtimeObserved } from './runtime-observed.ts';
import { scanCoverage } from './scan-coverage.ts';

/** ATTESTATIONS are all attestations, in the order in which packages list them. */
export const ATTESTATIONS: readonly AttestationRule[] = [
  remediationWindows,
  patchWindow48Hours,
  patchWindowTwoWeeks,
  runtimeObserved,
  producerStatementHonoured,
  contextAwareThresholds,
  admissionEnforced,
  ledgerIntact,
  imagesSigned,
  provenanceRequired,
  knownExploitedHandled,
  endOfLifeHandled,
  breakGlassAccountedFor,
  scanCoverage,
];

/** ATTESTATION_IDS name them. */
export const ATTESTATION_IDS: readonly string[] = ATTESTATIONS.map(({ id }) => id);

/** Judges are the judges of all attestations, fed together. */
export class Judges {
  readonly #all: readonly { readonly rule: AttestationRule; readonly judge: Judge }[];

  constructor(context: AttestationContext) {
    this.#all = ATTESTATIONS.map((rule) => ({ rule, judge: rule.begin(context) }));
  }

  /** Gives those that look at a population. */
  over<K extends Exclude<keyof Judge, 'end'>>(population: K): NonNullable<Judge[K]> {
    const judges = this.#all.flatMap(({ judge }) => (judge[population] === undefined ? [] : [judge]));
    return ((value: never): void => {
      for (const judge of judges) (judge[population] as (value: never) => void)(value);
    }) as NonNullable<Judge[K]>;
  }

  end(missing: ReadonlySet<keyof Judge>): Attestation[] {
    return this.#all.map(({ rule: { id, title }, judge }) => {
      const { counts, state, because, population, passed, failed } = judge.end(missing);
      return { id, title, state, because, population, passed, failed, ...counts };
    });
  }
}
