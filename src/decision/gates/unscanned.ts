import { refuse, type Gate } from '../gate.ts';

/** unscanned refuses an image without a scan record where the policy, else the installation, says to wait for one. */
export const unscanned: Gate = ({ spec }, subject) => {
  if (subject.facts.scan !== null) return null;
  const timing = spec.admissionTiming === '' ? subject.coldImagePolicy : spec.admissionTiming;
  return timing === 'DenyUntilScanned'
    ? refuse('unscanned', `not scanned yet: ${subject.reference.text}`)
    : null;
};
