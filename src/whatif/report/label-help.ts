import { isDenialLabel, type DenialLabel } from '../../decision/index.ts';

/** What each label means, in a few words, and what to do about it. */
const LABELS: Readonly<Record<DenialLabel, readonly [title: string, help: string]>> = {
  registry: [
    'registry not allowed',
    'The image comes from outside spec.allowedRegistries. Add the registry to the list, or move the image to one that is on it.',
  ],
  tag: [
    'tag latest, or no tag',
    'The reference has the tag latest, or neither tag nor digest, and spec.denyLatestTag is on. Name a version or a digest in the workload.',
  ],
  digest: [
    'no digest in the reference',
    'spec.digestEnforcement asks for a digest in the reference as written. Pin the image in the workload as name@sha256:<digest>.',
  ],
  quota: [
    'an allowance of the licence was used up',
    'The admission was refused for an allowance or a ceiling of the licence. A what-if does not run the licence meter again.',
  ],
  unscanned: [
    'not scanned yet',
    'The image has no scan record and spec.admissionTiming is DenyUntilScanned. Scan the image before it is deployed.',
  ],
  signature: [
    'signature not verified',
    'None of the signers under spec.signature signed the digest. Sign the image, or name the key or identity that did.',
  ],
  attestation: [
    'attestation missing',
    'An attestation under spec.attestations is missing or is signed by somebody else. Attach it in the build, or name who signs it.',
  ],
  threshold: [
    'vulnerabilities at or above the threshold',
    'The image has findings at or above spec.severityThreshold. Update it, triage the findings, or look at spec.ignoreUnfixed and spec.vex.',
  ],
  known_exploited: [
    'known exploited vulnerabilities',
    'The image has a finding that is exploited in the wild and spec.knownExploited is block. Update it, or triage the finding.',
  ],
  end_of_life: [
    'operating system at its end of life',
    'The operating system of the image gets no more fixes and spec.endOfLifeOS is block. Move the image to a supported base.',
  ],
  provenance: [
    'provenance below the required level',
    'No builder under spec.provenance.trustedBuilders vouches for the image at spec.provenance.minLevel. Build it there, or name its builder with who signs for it.',
  ],
  context: [
    'one step stricter for how the pod is deployed',
    'The pod shows a signal under spec.deploymentContext and is judged one step stricter. Take the signal away, or repair what the stricter policy finds.',
  ],
};

/** labelTitle says in a few words what a label means; empty for one that is none of ours. */
export function labelTitle(label: string): string {
  return isDenialLabel(label) ? LABELS[label][0] : '';
}

/** labelHelp says what a label means and what to do. */
export function labelHelp(label: string): string {
  return isDenialLabel(label)
    ? LABELS[label][1]
    : 'The recorded refusal carries a reason that none of the gates gives today.';
}
