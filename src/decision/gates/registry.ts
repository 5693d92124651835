import { isUnder } from '../../image/index.ts';
import { refuse, type Gate } from '../gate.ts';

/** registry refuses an image that stands under no entry of the allow-list. An empty list allows any. */
export const registry: Gate = ({ allowedRegistries }, { reference }) => {
  if (allowedRegistries.length === 0) return null;
  if (allowedRegistries.some((entry) => isUnder(reference.name, entry))) return null;
  return refuse('registry', `registry not allowed: ${reference.name}`);
};
