import { underGate } from './under-gate.ts';

/** provenanceRequired: each admitted image was admitted under a gate that asks for it. */
export const provenanceRequired = underGate(
  'provenance-required',
  'Provenance is required',
  'provenance',
  'requires provenance of level 1 or more',
);
