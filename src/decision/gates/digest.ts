import { gate } from '../gate.ts';

/** digest refuses a reference that as written names no digest; what a tag resolved to does not count. */
export const digest = gate({
  label: 'digest',
  begins: ['digest required: '],
  fields: ['spec.digestEnforcement'],
  title: 'no digest in the reference',
  help: 'spec.digestEnforcement asks for a digest in the reference as written. Pin the image in the workload as name@sha256:<digest>.',
  warned: (spec) => (spec.digestEnforcement === 'warn' ? { ...spec, digestEnforcement: 'require' } : null),
  judge: ({ spec }, { reference }) =>
    spec.digestEnforcement !== 'require' || reference.digest !== null
      ? null
      : `digest required: ${reference.text}`,
  remedy: ({ subject }) =>
    subject.digest === null
      ? 'name its digest: name@sha256:…'
      : `write it as ${subject.reference.name}@${subject.digest}`,
});
