import { hasNoPackages } from '../../facts/index.ts';
import { isUnscanned } from '../../findings/index.ts';
import { refuse, unknown, type Gate } from '../gate.ts';

/**
 * unscanned refuses an image without a scan record, of any platform that it is needed for, where the policy, else the installation, says to
 * wait for one. Where findings were never recorded nothing says that there was a scan. A triage decision on the image itself stands in for
 * a scan that can find nothing.
 */
export const unscanned: Gate = ({ spec }, { facts, coldImagePolicy, reference }, at) => {
  const isMissing = isUnscanned(facts.scan);
  if (!isMissing && facts.scan?.findings !== null) return null;
  const timing = spec.admissionTiming === '' ? coldImagePolicy : spec.admissionTiming;
  if (timing !== 'DenyUntilScanned') return null;
  if (facts.scan === null && hasNoPackages(facts, at)) return null;
  return isMissing ? refuse('unscanned', `not scanned yet: ${reference.text}`) : unknown('findings');
};
