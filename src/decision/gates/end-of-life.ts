import { refuse, type Gate } from '../gate.ts';

/** endOfLife refuses an image whose operating system its maker no longer serves. */
export const endOfLife: Gate = ({ spec }, { facts }) => {
  const os = facts.scan?.os ?? null;
  if (spec.endOfLifeOS !== 'block' || os === null || !os.eosl) return null;
  return refuse('end_of_life', `end of life OS: ${`${os.family} ${os.name}`.trim()}`);
};
