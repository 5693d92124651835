import { underGate } from './under-gate.ts';

/** endOfLifeHandled: each admitted image was admitted under a gate that asks for it. */
export const endOfLifeHandled = underGate(
  'end-of-life-handled',
  'Operating systems at their end of life are handled',
  'endOfLife',
  'blocks operating systems at their end of life',
);
