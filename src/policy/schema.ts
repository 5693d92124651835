import * as z from 'zod/mini';
import { formatDuration, parseDuration } from '../base/index.ts';
import { publicKeyFault } from './public-key.ts';
import { SIGNALS } from './signals.ts';

/** THRESHOLDS are the severities that a policy can refuse from, strictest last but `NONE`, which never refuses. */
export const THRESHOLDS = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'NONE'] as const;

/** KNOWN_EXPLOITED are what a policy can do with a finding listed as exploited in the wild. */
export const KNOWN_EXPLOITED = ['block', 'warn', 'ignore'] as const;

const described = (text: string) => z.describe(text);
const text = (about: string, max = 1024) => z.string().check(z.minLength(1), z.maxLength(max), described(about));
const list = <T extends z.core.SomeType>(entry: T, about: string, max = 256) =>
  z._default(z.array(entry).check(z.maxLength(max), described(about)), []);

const namespace = z
  .string()
  .check(
    z.regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'is not a namespace name (lowercase letters, digits and -, at most 63)'),
    described('Name of a Kubernetes namespace.'),
  );

const registry = z
  .string()
  .check(
    z.regex(
      /^([a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[a-fA-F0-9:]+\])(:[0-9]{1,5})?(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$/,
      'is not host[/path]: no scheme, tag, wildcard or trailing slash',
    ),
    z.maxLength(255),
    described('Registry host with an optional port and path, as `ghcr.io/acme`. It covers what stands under it on whole path segments.'),
  );

const pem = z.string().check(
  z.maxLength(16_384),
  z.check((input) => {
    const fault = publicKeyFault(input.value);
    if (fault !== null) input.issues.push({ code: 'custom', input: input.value, message: fault });
  }),
  described('PEM public key: ECDSA (P-256, P-384, P-521), Ed25519, or RSA of 2048 bits and more.'),
);

const identity = z
  .strictObject({
    identity: text('Keyless identity as in the certificate, matched exactly: a workflow address or an e-mail address.'),
    issuer: z.optional(text('OIDC issuer of the identity, matched exactly. Unset accepts any.')),
  })
  .check(described('A keyless signer.'));

const keysAndIdentities = {
  keys: list(pem, 'Public keys; one of them, or one of the identities, must have signed.', 32),
  identities: list(identity, 'Keyless identities; one of them, or one of the keys, must have signed.', 64),
};

const duration = z.string().check(
  z.check((input) => {
    const ms = parseDuration(input.value);
    const fault =
      ms === null
        ? 'is not a duration (write hours, minutes, seconds: 168h, 1h30m)'
        : ms <= 0
          ? 'must be longer than 0s; leave the field out to declare no window'
          : null;
    if (fault !== null) input.issues.push({ code: 'custom', input: input.value, message: fault });
    else input.value = formatDuration(ms as number);
  }),
);
const window = (severity: string) =>
  z.optional(duration.check(described(`Time within which a ${severity} finding is to be fixed, as a Go duration (\`168h\`).`)));

/** policySpec is the strict schema of `spec`, with every default filled in. */
export const policySpec = z.strictObject({
  targetNamespaces: list(namespace, 'Namespaces that the policy governs. Empty means the whole cluster.', 1000),
  enforcement: z._default(
    z.enum(['Audit', 'Enforce']).check(described('`Enforce` refuses; `Audit` admits and records what would have been refused.')),
    'Audit',
  ),
  severityThreshold: z._default(
    z.enum(THRESHOLDS).check(described('Findings at or above this severity are refused. `NONE` never refuses. Findings of `UNKNOWN` severity never count.')),
    'CRITICAL',
  ),
  ignoreUnfixed: z._default(
    z.boolean().check(described('Findings that no version repairs do not count for the threshold.')),
    false,
  ),
  admissionTiming: z._default(
    z.enum(['AllowAndScan', 'DenyUntilScanned', '']).check(described('What happens to an image without a scan record. Empty takes the installation value `webhook.coldImagePolicy`.')),
    '',
  ),
  allowedRegistries: list(registry, 'Registries that images may come from. Empty allows any.', 256),
  denyLatestTag: z._default(
    z.boolean().check(described('Refuses a reference with the tag `latest`, or with neither tag nor digest.')),
    false,
  ),
  digestEnforcement: z._default(
    z.enum(['ignore', 'warn', 'require']).check(described('Whether the reference as written must name a digest.')),
    'ignore',
  ),
  signature: z.prefault(
    z
      .strictObject({
        required: z._default(z.boolean().check(described('Whether one of the signers must have signed the digest.')), false),
        ...keysAndIdentities,
      })
      .check(
        z.check((input) => {
          const { required, keys, identities } = input.value;
          if (required && keys.length === 0 && identities.length === 0) {
            input.issues.push({
              code: 'custom',
              input: input.value,
              path: ['required'],
              message: 'is true with neither keys nor identities, so that no image could pass; name who may sign',
            });
          }
        }),
        described('Who must have signed the image.'),
      ),
    {},
  ),
  attestations: list(
    z
      .strictObject({
        predicateType: text('Predicate type of the in-toto statement, matched exactly, as `https://spdx.dev/Document`.'),
        ...keysAndIdentities,
      })
      .check(
        z.check((input) => {
          if (input.value.keys.length === 0 && input.value.identities.length === 0) {
            input.issues.push({
              code: 'custom',
              input: input.value,
              message: 'names neither keys nor identities, so that no attestation could count; name who may sign',
            });
          }
        }),
        described('An attestation that must be present.'),
      ),
    'Attestations that must each be present and signed by one of their signers.',
    32,
  ),
  provenance: z.prefault(
    z
      .strictObject({
        minLevel: z._default(
          z.int().check(z.minimum(0), z.maximum(3), described('Lowest SLSA build level that is accepted. 0 is off.')),
          0,
        ),
        trustedBuilders: list(
          z
            .strictObject({
              id: text('Builder id as the provenance states it, matched exactly.'),
              level: z.int().check(z.minimum(0), z.maximum(3), described('SLSA build level that this builder is credited with.')),
              signer: z.optional(text('Identity that must have signed the provenance. Unset must equal the builder id.')),
              issuer: z.optional(text('OIDC issuer of the signer. Unset accepts any.')),
            })
            .check(described('A builder and the level it is credited with.')),
          'Builders whose provenance is accepted.',
          128,
        ),
      })
      .check(described('Who must have built the image.')),
    {},
  ),
  vex: z.prefault(
    z
      .strictObject({
        mode: z._default(z.enum(['ignore', 'apply']).check(described('Whether trusted `not_affected` and `fixed` statements take findings out.')), 'ignore'),
        trustedIssuers: list(
          z
            .strictObject({
              identity: z.optional(text('Keyless identity of the producer, matched exactly.')),
              issuer: z.optional(text('OIDC issuer of the identity. Unset accepts any.')),
              key: z.optional(pem),
            })
            .check(
              z.check((input) => {
                const { identity, issuer, key } = input.value;
                const message =
                  identity === undefined && key === undefined
                    ? 'has neither an identity nor a key; give one of them'
                    : identity !== undefined && key !== undefined
                      ? 'has both an identity and a key; make two entries of it'
                      : issuer !== undefined && key !== undefined
                        ? 'has an issuer beside a key; an issuer belongs to an identity'
                        : null;
                if (message !== null) input.issues.push({ code: 'custom', input: input.value, message });
              }),
              described('A producer: a keyless identity with an optional issuer, or a PEM key.'),
            ),
          'Producers whose statements are believed.',
          64,
        ),
      })
      .check(described('Statements of producers (VEX) on whether a CVE concerns the image.')),
    {},
  ),
  knownExploited: z._default(
    z.enum(KNOWN_EXPLOITED).check(described('What happens to an image with a finding that is known to be exploited. Triaged CVEs are left out.')),
    'warn',
  ),
  endOfLifeOS: z._default(
    z.enum(['warn', 'block', 'ignore']).check(described('What happens to an image whose operating system is at its end of life.')),
    'warn',
  ),
  deploymentContext: z.prefault(
    z
      .strictObject({
        mode: z._default(
          z.enum(['Ignore', 'Escalate']).check(described('Under `Escalate` a pod with a selected signal is judged one step stricter.')),
          'Ignore',
        ),
        signals: list(
          z.enum(SIGNALS).check(described('A signal of the deployment context.')),
          'Signals that escalate. Empty means all six.',
          16,
        ),
      })
      .check(described('How the way a pod is deployed tightens its decision.')),
    {},
  ),
  workloadHardening: z._default(
    z.enum(['ignore', 'warn', 'block']).check(described('What happens to a pod that shows one of the six signals, whatever its images.')),
    'ignore',
  ),
  runtimeReconciliation: z._default(
    z.enum(['off', 'audit', 'enforce']).check(described('Whether running pods are judged again, and whether that is acted on.')),
    'audit',
  ),
  sla: z.optional(
    z
      .strictObject({
        critical: window('critical'),
        high: window('high'),
        medium: window('medium'),
        low: window('low'),
        triage: z.optional(duration.check(described('How long a triage decision lasts that names no end (2160h where unset).'))),
      })
      .check(described('Remediation windows. Absent means that none is declared.')),
  ),
  breakGlass: z.prefault(
    z
      .strictObject({
        allowed: z._default(z.boolean().check(described('Whether the policy can be bypassed with the annotation `ipo.dev/break-glass: <reason>`.')), false),
        groups: list(text('Name of a group as the API server gives it.', 253), 'Groups whose members may bypass. None means nobody.', 64),
      })
      .check(described('Who may bypass the policy.')),
    {},
  ),
});

/** PolicySpec is a `spec` with every default filled in. */
export type PolicySpec = z.infer<typeof policySpec>;

/** policyDocument is the strict schema of a whole policy document. */
export const policyDocument = z
  .strictObject({
    apiVersion: z.literal('ipo.dev/v1').check(described('Always `ipo.dev/v1`.')),
    kind: z.literal('ImagePolicy').check(described('Always `ImagePolicy`.')),
    metadata: z
      .looseObject({
        name: z.string().check(
          z.regex(
            /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
            'is not a resource name (lowercase letters, digits, - and .)',
          ),
          z.maxLength(253),
          described('Name of the policy. Policies are evaluated in the order of their names.'),
        ),
        labels: z.optional(z.record(z.string(), z.string()).check(described('Kubernetes labels.'))),
        annotations: z.optional(z.record(z.string(), z.string()).check(described('Kubernetes annotations.'))),
      })
      .check(described('Kubernetes object metadata.')),
    spec: policySpec.check(described('What the policy asks of an image.')),
    status: z.optional(z.unknown().check(described('Written by the operator; ignored when read.'))),
  })
  .check(described('A policy of the image-policy operator.'));

/** PolicyDocument is a policy document with every default filled in. */
export type PolicyDocument = z.infer<typeof policyDocument>;
