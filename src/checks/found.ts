import type { Digest } from '../base/index.ts';
import { NO_FACTS, type ImageFacts } from '../facts/index.ts';
import type { RegistryAnswer } from './registry-answer.ts';

/** FoundFacts is what is known of an image, and how its digest became known. */
export interface FoundFacts {
  readonly digest: Digest | null;
  readonly digestFrom: 'reference' | 'registry' | 'service' | 'ledger' | 'trivy' | null;
  readonly facts: ImageFacts;
  /** Whether anything reports its signatures, attestations, provenance and statements: a ledger, or its registry. */
  readonly asked: boolean;
  /** Whether its registry was asked, and whether everything that was asked for became known; null where nobody asked it. */
  readonly registry: 'answered' | 'failed' | null;
  /** Why no digest was found where there were several to choose from, or a report is not of this image; a clause, or null. */
  readonly note: string | null;
  /**
   * Why nothing is known of a scan though something here reports scans, as a clause; null where what is known stands. Nobody knows then
   * what the image holds, as against a report that was made of it and found no packages.
   */
  readonly untold: string | null;
  /** Whether the report that speaks for it found no packages: it is not a scan, and never looks like a clean one. */
  readonly emptyReport: boolean;
  /** Why the service could not scan it, and what to do, as a clause; null where that is not known, or nothing keeps it from it. */
  readonly obstacle: string | null;
  /** By whose scan it is judged, of the platforms of its index (`linux/arm64`); null: by the worst of them, or nobody told them apart. */
  readonly platform: string | null;
  /** Why nothing is known of the platform that was asked for, as a sentence; null where something is, or none was asked for. */
  readonly offPlatform: string | null;
}

/** nothing is what is found without a digest: no facts are known of any. */
export function nothing(answer: RegistryAnswer | null, note: string | null): FoundFacts {
  const [asked, registry] = [answer !== null, outcomeOf(answer)];
  return {
    digest: null,
    digestFrom: null,
    facts: NO_FACTS,
    asked,
    registry,
    note,
    untold: null,
    emptyReport: false,
    obstacle: null,
    platform: null,
    offPlatform: null,
  };
}

/** outcomeOf tells whether a registry told everything that it was asked for; null where it was not asked. */
export function outcomeOf(answer: RegistryAnswer | null): FoundFacts['registry'] {
  if (answer === null) return null;
  const { outcome, signatures, attestations, provenance, vex } = answer;
  const lists = [signatures, attestations, provenance, vex];
  return outcome === 'unknown' || lists.includes(null) ? 'failed' : 'answered';
}
