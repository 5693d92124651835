import { hasNoPackages } from '../../facts/index.ts';
import { isUnscanned } from '../../findings/index.ts';
import { gate, unknown } from '../gate.ts';
import { WITHOUT_PACKAGES } from '../remedies.ts';

/**
 * unscanned refuses an image without a scan record, of any platform that it is needed for, where the policy, else the installation, says to
 * wait for one. Where findings were never recorded nothing says that there was a scan. A triage decision on the image itself stands in for
 * a scan that can find nothing.
 */
export const unscanned = gate({
  label: 'unscanned',
  begins: ['not scanned yet: '],
  fields: ['spec.admissionTiming'],
  title: 'not scanned yet',
  help: 'The image has no scan record and spec.admissionTiming is DenyUntilScanned. Scan the image before it is deployed.',
  judge: ({ spec }, { facts, coldImagePolicy, reference }, at) => {
    const isMissing = isUnscanned(facts.scan);
    if (!isMissing && facts.scan?.findings !== null) return null;
    const timing = spec.admissionTiming === '' ? coldImagePolicy : spec.admissionTiming;
    if (timing !== 'DenyUntilScanned') return null;
    if (facts.scan === null && hasNoPackages(facts, at)) return null;
    return isMissing ? `not scanned yet: ${reference.text}` : unknown('findings');
  },
  remedy: ({ subject, search }) => {
    if (search?.emptyReport === true) return WITHOUT_PACKAGES;
    if (search !== null && search.obstacle !== null)
      return `have it scanned: the service could not scan it, since ${search.obstacle}`;
    return subject.digest === null
      ? 'give a report of Trivy for it with --trivy, or name its digest'
      : 'scan it; a report of Trivy is given with --trivy';
  },
});
