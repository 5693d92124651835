import type { Subject } from '../facts/index.ts';
import type { Finding } from '../findings/index.ts';
import type { PolicySpec } from '../policy/index.ts';
import type { Refused, Search } from './gate.ts';

const MOST = 3;
let collator: Intl.Collator | null = null;

/** Of several versions that repair a package the greatest repairs most; good enough for advice. The first collator of a process takes 5 ms. */
function byVersion(a: string, b: string): number {
  return (collator ??= new Intl.Collator('en', { numeric: true })).compare(a, b);
}

/** ASK_REGISTRY is how `ipo check` is told to look at a registry; it stands in what helps. */
export const ASK_REGISTRY = 'ask its registry (--registry always)';

/** unlooked adds to a remedy that what is missing may be there, where nobody looked or could look. */
export function unlooked(remedy: string, search: Search | null): string {
  if (search === null || search.facts.digest !== null) return remedy;
  if (search.registry === 'failed')
    return 'see why its registry tells no digest for the tag, or name the digest: without one nothing signed is found';
  return search.registry === null ? `${remedy}; where that was done, ${ASK_REGISTRY}: nobody looked` : remedy;
}

/** WITHOUT_PACKAGES is what to do for an image in which a scanner finds no packages, as one built from scratch. */
export const WITHOUT_PACKAGES =
  'scan it for packages; an image that holds none is admitted by a triage of the image (ipo triage add IMAGE --no-packages --reason TEXT), or by admissionTiming: AllowAndScan in the policy';

/** SERVED_SYSTEM is what to do about an operating system at its end of life. */
export const SERVED_SYSTEM = 'build it on a release of the system that is still served';

/** SIGNAL_REMEDIES say how a pod loses a signal. */
export const SIGNAL_REMEDIES: Readonly<Record<string, string>> = {
  privileged: 'run no container privileged',
  root: 'set runAsNonRoot: true',
  hostNamespace: 'leave out hostNetwork, hostPID and hostIPC',
  hostFilesystem: 'mount no hostPath',
  capabilities: 'add no capability beyond the default set',
  exposed: 'do not expose the pod',
};

/** repairOf names the packages to update for the CVEs that the sentence ends with, and the CVEs that no version repairs. */
export function repairOf({ sentence, subject }: Pick<Refused, 'sentence' | 'subject'>): string {
  const findings = findingsOf(sentence, subject);
  const updates = new Map<string, Finding>();
  const open = new Set<string>();
  for (const finding of findings) {
    if (finding.fixed === null) open.add(finding.cve);
    else if (byVersion(updates.get(finding.package)?.fixed ?? '', finding.fixed) < 0)
      updates.set(finding.package, finding);
  }
  const parts = [
    ...(updates.size > 0
      ? [`update ${some([...updates.values()].map((finding) => `${finding.package} to ${finding.fixed}`))}`]
      : []),
    ...(open.size > 0 ? [`nothing repairs ${some([...open])} yet: triage, or another base image`] : []),
  ];
  return parts.length === 0 ? 'update what the findings are in' : parts.join('; ');
}

function findingsOf(sentence: string, { facts }: Subject): Finding[] {
  const cves = new Set(sentence.slice(sentence.lastIndexOf(': ') + 2).split(', '));
  return (facts.scan?.findings ?? []).filter(({ cve }) => cves.has(cve));
}

/** signersOf names who may sign. */
export function signersOf(signers: Pick<PolicySpec['signature'], 'keys' | 'identities'> | undefined): string {
  const named =
    signers?.identities.map(
      ({ identity, identityRegExp }) => identity ?? `an identity that matches ${identityRegExp ?? ''}`,
    ) ?? [];
  const keys = signers?.keys.length ?? 0;
  return some(
    [...named, ...(keys > 0 ? [keys === 1 ? "the policy's key" : `one of the policy's ${keys} keys`] : [])],
    ' or ',
  );
}

/** some names the first few texts, and how many more there are. */
export function some(texts: readonly string[], joint = ', '): string {
  if (texts.length === 0) return 'nothing: the policy names none';
  const shown = texts.slice(0, MOST).join(joint);
  return texts.length > MOST ? `${shown} and ${texts.length - MOST} more` : shown;
}
