import { anything, mapping, optional, orEmpty, type Read } from './field.ts';
import { metadata } from './schema-metadata.ts';
import { always, choice, duration, flag, list, namespace, registry, text, word } from './schema-parts.ts';
import { attestation, provenance, signature, vex } from './schema-trust.ts';
import { SIGNALS } from './signals.ts';

/** THRESHOLDS are the severities that a policy can refuse from, strictest last but `NONE`, which never refuses. */
export const THRESHOLDS = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'NONE'] as const;

/** KNOWN_EXPLOITED are what a policy can do with a finding listed as exploited in the wild. */
export const KNOWN_EXPLOITED = ['block', 'warn', 'ignore'] as const;

const window = (severity: string) =>
  optional(duration(`Time within which a ${severity} finding is to be fixed, as a Go duration (\`168h\`).`));

const spec = {
  targetNamespaces: list(
    namespace,
    'Namespaces that the policy governs. Empty means the whole cluster.',
    1000,
  ),
  enforcement: choice(
    ['Audit', 'Enforce'],
    'Audit',
    '`Enforce` refuses; `Audit` admits and records what would have been refused.',
  ),
  severityThreshold: choice(
    THRESHOLDS,
    'CRITICAL',
    'Findings at or above this severity are refused. `NONE` never refuses. Findings of `UNKNOWN` severity never count.',
  ),
  ignoreUnfixed: flag('Findings that no version repairs do not count for the threshold.'),
  admissionTiming: choice(
    ['AllowAndScan', 'DenyUntilScanned', ''],
    '',
    'What happens to an image without a scan record. Empty takes the installation value `webhook.coldImagePolicy`.',
  ),
  allowedRegistries: list(registry, 'Registries that images may come from. Empty allows any.'),
  denyLatestTag: flag('Refuses a reference with the tag `latest`, or with neither tag nor digest.'),
  digestEnforcement: choice(
    ['ignore', 'warn', 'require'],
    'ignore',
    'Whether the reference as written must name a digest.',
  ),
  signature: orEmpty(signature),
  attestations: list(
    attestation,
    'Attestations that must each be present and signed by one of their signers.',
    32,
  ),
  provenance: orEmpty(provenance),
  vex: orEmpty(vex),
  knownExploited: choice(
    KNOWN_EXPLOITED,
    'warn',
    'What happens to an image with a finding that is known to be exploited. Triaged CVEs are left out.',
  ),
  endOfLifeOS: choice(
    ['warn', 'block', 'ignore'],
    'warn',
    'What happens to an image whose operating system is at its end of life.',
  ),
  deploymentContext: orEmpty(
    mapping(
      {
        mode: choice(
          ['Ignore', 'Escalate'],
          'Ignore',
          'Under `Escalate` a pod with a selected signal is judged one step stricter.',
        ),
        signals: list(
          word(SIGNALS, 'A signal of the deployment context.'),
          'Signals that escalate. Empty means all six.',
          16,
        ),
      },
      'How the way a pod is deployed tightens its decision.',
    ),
  ),
  workloadHardening: choice(
    ['ignore', 'warn', 'block'],
    'ignore',
    'What happens to a pod that shows one of the six signals, whatever its images.',
  ),
  runtimeReconciliation: choice(
    ['off', 'audit', 'enforce'],
    'audit',
    'Whether running pods are judged again, and whether that is acted on.',
  ),
  sla: optional(
    mapping(
      {
        critical: window('critical'),
        high: window('high'),
        medium: window('medium'),
        low: window('low'),
        triage: optional(
          duration('How long a triage decision lasts that names no end (`2160h` where unset).'),
        ),
      },
      'Remediation windows. Absent means that none is declared.',
    ),
  ),
  breakGlass: orEmpty(
    mapping(
      {
        allowed: flag(
          'Whether the policy can be bypassed with the pod annotation `ipo.dev/break-glass: <reason>`.',
        ),
        groups: list(
          text('Name of a group as the API server gives it.', 253),
          'Groups whose members may bypass. None means nobody.',
          64,
        ),
      },
      'Who may bypass the policy.',
    ),
  ),
};

/** policySpec is the strict schema of `spec`, with every default filled in. */
export const policySpec = mapping(spec, 'What the policy asks of an image.');

/** PolicySpec is a `spec` with every default filled in. */
export type PolicySpec = Read<typeof policySpec>;

/** policyDocument is the strict schema of a whole policy document. */
export const policyDocument = mapping(
  {
    apiVersion: always('ipo.dev/v1', 'Always `ipo.dev/v1`.'),
    kind: always('ImagePolicy', 'Always `ImagePolicy`.'),
    metadata,
    spec: policySpec,
    status: optional(anything('Written by the operator; ignored when read.')),
  },
  'A policy of the image-policy operator.',
);

/** PolicyDocument is a policy document with every default filled in. */
export type PolicyDocument = Read<typeof policyDocument>;
