import { counted, formatCount } from '../../render/index.ts';
import type { FindingRecord } from '../records.ts';
import { nothingRaised, notInSource, scopeOf, stateOf, type AttestationRule } from './attestation.ts';

/** PatchWindow says which findings are meant, and from when the time is measured within which they must end. */
export interface PatchWindow {
  readonly id: string;
  readonly title: string;
  readonly population: string;
  readonly asks: string;
  /** The window in words. */
  readonly within: string;
  readonly ms: number;
  /** When the window begins, or null for a finding that is not meant. */
  begins(finding: FindingRecord, until: number): number | null;
}

/** patchWindow makes an attestation that findings ended within a time: fixed, triaged, or the image replaced by one without them. */
export function patchWindow(window: PatchWindow): AttestationRule {
  const { id, title, population: what, asks, within, ms, begins } = window;
  return {
    id,
    title,
    population: what,
    asks,
    begin({ request, at }) {
      let [population, passed, failed, pending, unknown] = [0, 0, 0, 0, 0];
      return {
        finding(finding) {
          const begin = begins(finding, request.to);
          if (begin === null) return;
          population += 1;
          const inTime = hasEndedSo(finding) === true && (finding.ended_at ?? 0) <= begin + ms;
          if (inTime && finding.older !== true) passed += 1;
          else if (finding.ended_at === null && begin + ms > at) pending += 1;
          else if (inTime || isUnknown(finding, begin + ms)) unknown += 1;
          else failed += 1;
        },
        end(missing) {
          if (missing.has('finding')) return notInSource('findings');
          const counts = { pending, unknown };
          if (population === 0) return nothingRaised(what, scopeOf(request, 'cluster'), counts);
          const rest = [
            failed === 0 ? null : `${failed} did not`,
            pending === 0 ? null : `${pending} still ${pending === 1 ? 'has' : 'have'} time`,
            unknown === 0 ? null : `for ${unknown} it is not known`,
          ].filter((text) => text !== null);
          const because = `Of ${counted(population, 'finding')} (${what}), ${formatCount(passed)} ended within ${within}: fixed, accepted by triage, or the image replaced by one without it${rest.map((text) => `; ${text}`).join('')}.`;
          return { state: stateOf(population, passed, failed), because, population, passed, failed, counts };
        },
      };
    },
  };
}

/** Whether a finding ended in a way that counts; null where nobody knows. */
function hasEndedSo({ ended, superseded_by: next, successor_has_cve: has }: FindingRecord): boolean | null {
  if (ended === 'fixed' || ended === 'triaged') return true;
  if (ended !== 'image_retired' || next === null) return false;
  return has === null ? null : !has;
}

/** One that ended in time, but nobody knows whether what replaced its image has it as well. */
function isUnknown(finding: FindingRecord, due: number): boolean {
  return hasEndedSo(finding) === null && (finding.ended_at ?? Infinity) <= due;
}
