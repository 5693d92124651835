import { isUnder } from '../../image/index.ts';
import { gate } from '../gate.ts';
import { some } from '../remedies.ts';

/** registry refuses an image that stands under no entry of the allow-list. An empty list allows any. */
export const registry = gate({
  label: 'registry',
  begins: ['registry not allowed: '],
  fields: ['spec.allowedRegistries'],
  title: 'registry not allowed',
  help: 'The image comes from outside spec.allowedRegistries. Add the registry to the list, or move the image to one that is on it.',
  judge: ({ allowedRegistries }, { reference }) =>
    allowedRegistries.length === 0 || allowedRegistries.some((entry) => isUnder(reference.name, entry))
      ? null
      : `registry not allowed: ${reference.name}`,
  remedy: ({ spec }) => `take it from ${some(spec?.allowedRegistries ?? [])}`,
});
