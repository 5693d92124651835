import type { DenialLabel, UnknownFact } from '../decision/index.ts';
import type { Subject } from '../facts/index.ts';
import type { Finding } from '../findings/index.ts';
import type { Policy } from '../policy/index.ts';
import type { FoundFacts } from './found.ts';

const MOST = 3;
let collator: Intl.Collator | null = null;

/** Of several versions that repair a package the greatest repairs most; good enough for advice. The first collator of a process takes 5 ms. */
function byVersion(a: string, b: string): number {
  return (collator ??= new Intl.Collator('en', { numeric: true })).compare(a, b);
}

/** remedyOf says in a clause what would let a refused image pass. Foreign text in it is as it came. */
export function remedyOf(
  label: DenialLabel,
  sentence: string,
  policy: Policy | null,
  subject: Subject,
  found: FoundFacts | null,
): string {
  const spec = policy?.spec;
  switch (label) {
    case 'registry':
      return `take it from ${some(spec?.allowedRegistries ?? [])}`;
    case 'tag':
      return 'name a version or a digest';
    case 'digest':
      return subject.digest === null
        ? 'name its digest: name@sha256:…'
        : `write it as ${subject.reference.name}@${subject.digest}`;
    case 'quota':
      return 'wait for the next month, or have the allowance raised';
    case 'unscanned':
      if (found?.emptyReport === true) return WITHOUT_PACKAGES;
      if (found !== null && found.obstacle !== null)
        return `have it scanned: the service could not scan it, since ${found.obstacle}`;
      return subject.digest === null
        ? 'give a report of Trivy for it with --trivy, or name its digest'
        : 'scan it; a report of Trivy is given with --trivy';
    case 'signature':
      return unlooked(`have it signed by ${signersOf(spec?.signature)}`, found);
    case 'attestation': {
      const type = sentence.slice('attestation missing: '.length);
      const wanted = spec?.attestations.find(({ predicateType }) => type.startsWith(predicateType));
      return unlooked(`attach an attestation of this type, signed by ${signersOf(wanted)}`, found);
    }
    case 'threshold':
    case 'known_exploited':
      return repairOf(sentence, subject);
    case 'end_of_life':
      return 'build it on a release of the system that is still served';
    case 'provenance':
      return unlooked(
        `have it built by ${some(spec?.provenance.trustedBuilders.filter(({ level }) => level >= (spec?.provenance.minLevel ?? 0)).map(({ id }) => id) ?? [])}`,
        found,
      );
    case 'context': {
      const signal = /^context (\w+)/.exec(sentence)?.[1] ?? '';
      const repair = sentence.includes(': end of life OS: ')
        ? 'build it on a release of the system that is still served'
        : repairOf(sentence, subject);
      return `${repair}; or ${SIGNAL_REMEDIES[signal] ?? 'take the signal away'}`;
    }
  }
}

/** remedyOfFact says in a clause where a fact that is unknown could come from. */
export function remedyOfFact(fact: UnknownFact, found: FoundFacts | null): string {
  const [, remedy] = FACTS[fact];
  if (fact === 'findings' && found?.emptyReport === true) return WITHOUT_PACKAGES;
  if (found !== null && found.untold !== null)
    return found.digest !== null
      ? 'scan what the tag stands for now, or name the digest that was scanned'
      : found.registry === 'failed'
        ? `${TRY_AGAIN}; or name the digest`
        : 'name the digest, or let its registry be asked; an image that is not pushed yet is checked with --by-name';
  return found?.registry === 'failed' ? remedy.replace(ASK, TRY_AGAIN) : remedy;
}

/** What is not there for all that is known may be there: nobody looked, or could. */
function unlooked(remedy: string, found: FoundFacts | null): string {
  if (found === null || found.facts.digest !== null) return remedy;
  if (found.registry === 'failed')
    return 'see why its registry tells no digest for the tag, or name the digest: without one nothing signed is found';
  return found.registry === null
    ? `${remedy}; where that was done, ask its registry (--registry always): nobody looked`
    : remedy;
}

/** nameFact says in a clause what is unknown. */
export function nameFact(fact: UnknownFact): string {
  return FACTS[fact][0];
}

/** What to do for an image in which a scanner finds no packages, as one built from scratch. */
const WITHOUT_PACKAGES =
  'scan it for packages; an image that holds none is admitted by a triage of the image (ipo triage add IMAGE --no-packages --reason TEXT), or by admissionTiming: AllowAndScan in the policy';

const ASK = 'ask its registry (--registry always)';
const TRY_AGAIN = 'see why its registry could not be asked or read, and try again';

const FACTS: Readonly<Record<UnknownFact, readonly [string, string]>> = {
  findings: ['what a scan for vulnerabilities finds', 'scan it for vulnerabilities'],
  known_exploited: ['whether its findings are known to be exploited', 'give the catalogue with --kev'],
  signatures: ['who signed it', `${ASK}, or give a ledger export that recorded its signatures with --ledger`],
  attestations: [
    'which attestations it has',
    `${ASK}, or give a ledger export that recorded them with --ledger`,
  ],
  provenance: ['who built it', `${ASK}, or give a ledger export that recorded its provenance with --ledger`],
  vex: [
    'what its producer states of its findings',
    `${ASK}, or give a ledger export that recorded it with --ledger`,
  ],
};

/** remedyOfSignals says in a clause how a pod loses its signals. */
export function remedyOfSignals(signals: readonly string[]): string {
  return signals.map((signal) => SIGNAL_REMEDIES[signal] ?? `take ${signal} away`).join('; ');
}

const SIGNAL_REMEDIES: Readonly<Record<string, string>> = {
  privileged: 'run no container privileged',
  root: 'set runAsNonRoot: true',
  hostNamespace: 'leave out hostNetwork, hostPID and hostIPC',
  hostFilesystem: 'mount no hostPath',
  capabilities: 'add no capability beyond the default set',
  exposed: 'do not expose the pod',
};

/** The packages to update for the CVEs that the sentence ends with, and the CVEs that no version repairs. */
function repairOf(sentence: string, { facts }: Subject): string {
  const cves = new Set(sentence.slice(sentence.lastIndexOf(': ') + 2).split(', '));
  const findings = (facts.scan?.findings ?? []).filter(({ cve }) => cves.has(cve));
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

function signersOf(
  signers:
    | {
        readonly keys: readonly string[];
        readonly identities: readonly {
          readonly identity?: string | undefined;
          readonly identityRegExp?: string | undefined;
        }[];
      }
    | undefined,
): string {
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

function some(texts: readonly string[], joint = ', '): string {
  if (texts.length === 0) return 'nothing: the policy names none';
  const shown = texts.slice(0, MOST).join(joint);
  return texts.length > MOST ? `${shown} and ${texts.length - MOST} more` : shown;
}
