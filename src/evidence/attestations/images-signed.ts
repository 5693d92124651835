import { underGate } from './under-gate.ts';

/** imagesSigned: each admitted image was admitted under a gate that asks for it. */
export const imagesSigned = underGate(
  'images-signed',
  'Images are signed',
  'signature',
  'requires a valid signature',
);
