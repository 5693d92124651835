import { gate } from '../gate.ts';
import { SERVED_SYSTEM } from '../remedies.ts';

/** endOfLife refuses an image whose operating system its maker no longer serves. */
export const endOfLife = gate({
  label: 'end_of_life',
  begins: ['end of life OS: '],
  fields: ['spec.endOfLifeOS'],
  title: 'operating system at its end of life',
  help: 'The operating system of the image gets no more fixes and spec.endOfLifeOS is block. Move the image to a supported base.',
  escalates: true,
  warned: (spec) => (spec.endOfLifeOS === 'warn' ? { ...spec, endOfLifeOS: 'block' } : null),
  judge: ({ spec }, { facts }) => {
    const os = facts.scan?.os ?? null;
    if (spec.endOfLifeOS !== 'block' || os === null || !os.eosl) return null;
    return `end of life OS: ${`${os.family} ${os.name}`.trim()}`;
  },
  remedy: () => SERVED_SYSTEM,
});
