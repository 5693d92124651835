import { gate } from '../gate.ts';

/** tag refuses what may be another image tomorrow: `:latest`, or no tag, and no digest. */
export const tag = gate({
  label: 'tag',
  begins: ['tag latest not allowed: '],
  fields: ['spec.denyLatestTag'],
  title: 'tag latest, or no tag',
  help: 'The reference has the tag latest, or neither tag nor digest, and spec.denyLatestTag is on. Name a version or a digest in the workload.',
  judge: ({ spec }, { reference }) => {
    if (!spec.denyLatestTag || reference.digest !== null) return null;
    if (reference.tag !== null && reference.tag !== 'latest') return null;
    return `tag latest not allowed: ${reference.text}`;
  },
  remedy: () => 'name a version or a digest',
});
