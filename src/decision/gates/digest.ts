import { refuse, type Gate } from '../gate.ts';

/** digest refuses a reference that as written names no digest; what a tag resolved to does not count. */
export const digest: Gate = ({ spec }, { reference }) => {
  if (spec.digestEnforcement !== 'require' || reference.digest !== null) return null;
  return refuse('digest', `digest required: ${reference.text}`);
};
