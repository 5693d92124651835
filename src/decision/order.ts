import { attestation } from './gates/attestation.ts';
import { contextOf } from './gates/context.ts';
import { digest } from './gates/digest.ts';
import { endOfLife } from './gates/end-of-life.ts';
import { knownExploited } from './gates/known-exploited.ts';
import { provenance } from './gates/provenance.ts';
import { quota } from './gates/quota.ts';
import { registry } from './gates/registry.ts';
import { signature } from './gates/signature.ts';
import { tag } from './gates/tag.ts';
import { threshold } from './gates/threshold.ts';
import { unscanned } from './gates/unscanned.ts';

/** The gates that judge an image by itself. */
const OWN = [
  registry,
  tag,
  digest,
  quota,
  unscanned,
  signature,
  attestation,
  threshold,
  knownExploited,
  endOfLife,
  provenance,
] as const;

/** GATES are judged top to bottom; the first that refuses gives the label and the sentence. */
export const GATES = [...OWN, contextOf(OWN)] as const;
