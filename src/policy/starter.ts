import { wordsOf } from './yaml-words.ts';

/** StarterChoices are what a started policy can be told; the names are written as they stand, so check them first. */
export interface StarterChoices {
  readonly name: string;
  readonly enforce: boolean;
  /** Empty is the whole cluster. */
  readonly namespaces: readonly string[];
  /** Empty is any. */
  readonly registries: readonly string[];
}

/**
 * starterPolicy writes a policy to begin with, with a comment on every field: it audits, refuses CRITICAL findings,
 * and declares the usual windows. The text is already in the form of `ipo policy fmt`.
 */
export function starterPolicy({ name, enforce, namespaces, registries }: StarterChoices): string {
  return `# ${name}: a policy of the image-policy operator.
# Check it with "ipo policy lint", and see what it would have changed with "ipo whatif".
apiVersion: ipo.dev/v1
kind: ImagePolicy
metadata:
  name: ${scalar(name)}
spec:
  # Namespaces that the policy governs; empty is the whole cluster.
  targetNamespaces:${list(namespaces)}
  # Audit admits and records what would have been refused; Enforce refuses.
  enforcement: ${enforce ? 'Enforce' : 'Audit'}

  # Findings at or above: CRITICAL, HIGH, MEDIUM, LOW, or NONE to refuse none.
  severityThreshold: CRITICAL
  # true: what no version repairs does not count.
  ignoreUnfixed: false
  # An image without a scan: AllowAndScan, DenyUntilScanned, or "" for what the installation says.
  admissionTiming: ""

  # host[/path], matched on whole segments; empty allows any. Official images are docker.io/library.
  allowedRegistries:${list(registries)}
  # true refuses :latest and references with neither tag nor digest.
  denyLatestTag: true
  # A reference without a digest: ignore, warn or require.
  digestEnforcement: warn

  # Who must have signed the digest: PEM public keys, or identities with their issuer
  # (identityRegExp and issuerRegExp: RE2 patterns in their place, which match whole texts).
  signature:
    required: false
    keys: []
    identities: []
  # Attestations that must be there: predicateType, and the keys or identities of which one signed.
  attestations: []
  # Lowest build level (0 is off), and the builders credited with one: id, level, signer, issuer,
  # identityRegExp, issuerRegExp, or key.
  provenance:
    minLevel: 0
    trustedBuilders: []
  # apply: "not_affected" and "fixed" statements of these producers take findings out.
  vex:
    mode: ignore
    trustedIssuers: []

  # Findings known to be exploited: block, warn or ignore.
  knownExploited: warn
  # An operating system at its end of life: warn, block or ignore.
  endOfLifeOS: warn
  # Escalate judges pods with a signal one step stricter; no signals means all six:
  # privileged, root, hostNamespace, hostFilesystem, capabilities, exposed.
  deploymentContext:
    mode: Ignore
    signals: []
  # A pod that shows one of the six, whatever its images: ignore, warn or block.
  workloadHardening: ignore
  # Running pods judged again: "off" (in quotes), audit, or enforce.
  runtimeReconciliation: audit

  # Time to fix a finding, and how long a triage without an end lasts.
  sla:
    critical: 24h
    high: 168h
    medium: 720h
    low: 2160h
    triage: 2160h

  # Members of these groups may bypass with the pod annotation ipo.dev/break-glass: <reason>.
  breakGlass:
    allowed: false
    groups: []
`;
}

function list(entries: readonly string[]): string {
  return entries.length === 0 ? ' []' : entries.map((entry) => `\n    - ${scalar(entry)}`).join('');
}

/** Quoted where YAML, of whatever version, could read something else than the text. */
function scalar(text: string): string {
  const plain =
    /^[a-z][a-z0-9./_-]*(:[0-9]+)?([a-z0-9./_-]*)$/i.test(text) &&
    wordsOf(text, text) === null &&
    !/^(true|false|null)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}
