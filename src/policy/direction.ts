import { parseDuration } from '../base/index.ts';
import { normaliseRegistry } from '../image/index.ts';
import { registryCovers } from './entries.ts';
import { keyId } from './public-key.ts';
import { compareReach, type Reach } from './reach.ts';
import { THRESHOLDS, type PolicySpec } from './schema.ts';
import { SIGNALS } from './signals.ts';
import type { Steps } from './pattern-program.ts';
import { COVER_STEPS, coversSigner, type SignerName } from './signer.ts';

/** Direction says what a change does to what is admitted: it refuses more, or less, or neither can be said. */
export type Direction = 'tighter' | 'looser' | 'neither';

/**
 * directionOf judges one changed field. A field that counts for nothing under the policy after the change (the
 * builders under `minLevel: 0`) goes in neither direction, and so does a list that gains here and loses there.
 */
export function directionOf(path: string, before: PolicySpec, after: PolicySpec): Direction {
  const judge = Object.hasOwn(JUDGES, path) ? JUDGES[path] : undefined;
  return judge?.(before, after) ?? 'neither';
}

type Judge = (before: PolicySpec, after: PolicySpec) => Direction;

/** A field whose words or numbers go from loose to tight. */
function ladder<T>(take: (spec: PolicySpec) => T, steps: readonly T[]): Judge {
  return (before, after) => toward(steps.indexOf(take(after)) - steps.indexOf(take(before)));
}

/** A field of which less time is tighter; not set is looser than any time. */
function time(name: 'critical' | 'high' | 'medium' | 'low' | 'triage'): Judge {
  const unset = name === 'triage' ? (parseDuration('2160h') ?? 0) : Infinity;
  const take = (spec: PolicySpec): number => parseDuration(spec.sla?.[name] ?? '') ?? unset;
  return (before, after) => toward(Math.sign(take(before) - take(after)) || 0);
}

function toward(steps: number): Direction {
  return steps > 0 ? 'tighter' : steps < 0 ? 'looser' : 'neither';
}

/** Who or what more of lets more through. */
function admits(reach: Reach): Direction {
  return reach === 'wider' ? 'looser' : reach === 'narrower' ? 'tighter' : 'neither';
}

/** What more of refuses more. */
function asks(reach: Reach): Direction {
  return reach === 'wider' ? 'tighter' : reach === 'narrower' ? 'looser' : 'neither';
}

const equal = (entry: string, other: string): boolean => entry === other;

const steps = (): Steps => ({ left: COVER_STEPS });

type Signer = SignerName & { readonly key?: string | undefined };

/** Which signers hold which, where one comparison may look into patterns for so long and no longer. */
const covering =
  (steps: Steps) =>
  (entry: Signer, other: Signer): boolean =>
    entry.key === undefined || other.key === undefined
      ? entry.key === other.key && coversSigner(entry, other, steps)
      : keyId(entry.key) === keyId(other.key);

type Attestation = PolicySpec['attestations'][number];

/** Whether an image with the one attestation always has the other: same predicate, no other signer accepted. */
function impliesAttestation(asked: Attestation, other: Attestation, steps: Steps): boolean {
  const keys = compareReach(other.keys.map(keyId), asked.keys.map(keyId), equal);
  const identities = compareReach(other.identities, asked.identities, covering(steps));
  return (
    asked.predicateType === other.predicateType &&
    [keys, identities].every((reach) => reach === 'same' || reach === 'narrower')
  );
}

type Builder = PolicySpec['provenance']['trustedBuilders'][number];
/** Who must have signed the provenance of a builder: itself, where nothing is said. */
const signerOf = ({ id, signer, ...named }: Builder): Signer =>
  named.identityRegExp === undefined && named.key === undefined
    ? { ...named, identity: signer ?? id }
    : named;

const JUDGES: Readonly<Record<string, Judge>> = {
  'spec.targetNamespaces': (before, after) => {
    const [left, right] = [before.targetNamespaces, after.targetNamespaces];
    if (left.length === 0 || right.length === 0) return right.length === 0 ? 'tighter' : 'looser';
    return asks(compareReach(left, right, equal));
  },
  'spec.enforcement': ladder((spec) => spec.enforcement, ['Audit', 'Enforce']),
  'spec.severityThreshold': ladder(
    (spec) => spec.severityThreshold,
    ['NONE', ...THRESHOLDS.filter((word) => word !== 'NONE')],
  ),
  'spec.ignoreUnfixed': ladder((spec) => spec.ignoreUnfixed, [true, false]),
  'spec.admissionTiming': ladder((spec) => spec.admissionTiming, ['AllowAndScan', '', 'DenyUntilScanned']),
  'spec.allowedRegistries': (before, after) => {
    const [left, right] = [
      before.allowedRegistries.map(normaliseRegistry),
      after.allowedRegistries.map(normaliseRegistry),
    ];
    if (left.length === 0 || right.length === 0) return right.length === 0 ? 'looser' : 'tighter';
    return admits(compareReach(left, right, registryCovers));
  },
  'spec.denyLatestTag': ladder((spec) => spec.denyLatestTag, [false, true]),
  'spec.digestEnforcement': ladder((spec) => spec.digestEnforcement, ['ignore', 'warn', 'require']),
  'spec.signature.required': ladder((spec) => spec.signature.required, [false, true]),
  'spec.signature.keys': (before, after) =>
    before.signature.required && after.signature.required
      ? admits(compareReach(before.signature.keys.map(keyId), after.signature.keys.map(keyId), equal))
      : 'neither',
  'spec.signature.identities': (before, after) =>
    before.signature.required && after.signature.required
      ? admits(compareReach(before.signature.identities, after.signature.identities, covering(steps())))
      : 'neither',
  // Each one asked for must be there, so the lists go the other way than those of who may sign.
  'spec.attestations': (before, after) => {
    const left = steps();
    return asks(
      compareReach(before.attestations, after.attestations, (entry, other) =>
        impliesAttestation(entry, other, left),
      ),
    );
  },
  'spec.provenance.minLevel': (before, after) =>
    toward(after.provenance.minLevel - before.provenance.minLevel),
  'spec.provenance.trustedBuilders': (before, after) => {
    const { minLevel } = after.provenance;
    if (minLevel === 0 || before.provenance.minLevel === 0) return 'neither';
    const [left, right] = [before, after].map(({ provenance }) =>
      provenance.trustedBuilders.filter(({ level }) => level >= minLevel),
    );
    const covers = covering(steps());
    return admits(
      compareReach(
        left ?? [],
        right ?? [],
        (entry, other) => entry.id === other.id && covers(signerOf(entry), signerOf(other)),
      ),
    );
  },
  'spec.vex.mode': ladder((spec) => spec.vex.mode, ['apply', 'ignore']),
  'spec.vex.trustedIssuers': (before, after) => {
    if (before.vex.mode === 'ignore' || after.vex.mode === 'ignore') return 'neither';
    return admits(compareReach(before.vex.trustedIssuers, after.vex.trustedIssuers, covering(steps())));
  },
  'spec.knownExploited': ladder((spec) => spec.knownExploited, ['ignore', 'warn', 'block']),
  'spec.endOfLifeOS': ladder((spec) => spec.endOfLifeOS, ['ignore', 'warn', 'block']),
  'spec.deploymentContext.mode': ladder((spec) => spec.deploymentContext.mode, ['Ignore', 'Escalate']),
  'spec.deploymentContext.signals': (before, after) => {
    if (before.deploymentContext.mode === 'Ignore' || after.deploymentContext.mode === 'Ignore')
      return 'neither';
    const [left, right] = [before, after].map(({ deploymentContext: { signals } }) =>
      signals.length === 0 ? SIGNALS : signals,
    );
    return asks(compareReach<string>(left ?? [], right ?? [], equal));
  },
  'spec.workloadHardening': ladder((spec) => spec.workloadHardening, ['ignore', 'warn', 'block']),
  'spec.runtimeReconciliation': ladder((spec) => spec.runtimeReconciliation, ['off', 'audit', 'enforce']),
  'spec.sla.critical': time('critical'),
  'spec.sla.high': time('high'),
  'spec.sla.medium': time('medium'),
  'spec.sla.low': time('low'),
  'spec.sla.triage': time('triage'),
  'spec.breakGlass.allowed': ladder((spec) => spec.breakGlass.allowed, [true, false]),
  'spec.breakGlass.groups': (before, after) =>
    before.breakGlass.allowed && after.breakGlass.allowed
      ? admits(compareReach(before.breakGlass.groups, after.breakGlass.groups, equal))
      : 'neither',
};

/** JUDGED_PATHS are the fields that a change can be judged of; a test holds them against the schema. */
export const JUDGED_PATHS: readonly string[] = Object.keys(JUDGES);
