import { refuse, type Gate } from '../gate.ts';

/** tag refuses what may be another image tomorrow: `:latest`, or no tag, and no digest. */
export const tag: Gate = ({ spec }, { reference }) => {
  if (!spec.denyLatestTag || reference.digest !== null) return null;
  if (reference.tag !== null && reference.tag !== 'latest') return null;
  return refuse('tag', `tag latest not allowed: ${reference.text}`);
};
