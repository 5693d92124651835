/** LintRule names a rule for reports: its stable id and what it is about. */
export interface LintRule {
  readonly id: string;
  readonly title: string;
}

/** Each rule with what it is about; those of errors first. */
const TITLES = {
  size: 'The file is larger than a policy file may be',
  depth: 'The document is nested too deep',
  documents: 'The file holds too many documents',
  encoding: 'The file is not UTF-8 text',
  empty: 'No policy in the file, or an empty value',
  syntax: 'Not readable as YAML or JSON',
  tag: 'A YAML tag',
  alias: 'A YAML alias',
  'merge-key': 'A YAML merge key',
  'duplicate-field': 'The same field twice',
  kind: 'A document that is not an ImagePolicy',
  missing: 'A field that must be there is missing',
  'unknown-field': 'A field that does not exist',
  type: 'A value of the wrong type',
  range: 'A value that is too long, too large or too small',
  value: 'A value that is not allowed',
  more: 'The file has more problems than lint lists',
  unformattable: 'Formatting would change what the file means',
  'one-policy': 'None or several policies where exactly one is expected',
  'builders-unused': 'Builders are trusted, but no provenance level is required',
  'no-builder': 'No builder reaches the required level',
  'builder-below-level': 'A builder below the required level',
  'vex-unused': 'VEX producers are trusted, but VEX statements are ignored',
  'vex-nobody': 'VEX statements are applied, but no producer is trusted',
  'vex-pointless': 'VEX statements are applied, but no gate judges findings',
  'signers-unused': 'Signers are named, but no signature is required',
  'any-issuer': 'An identity of any issuer is accepted',
  'identity-pattern': 'An exact identity that looks like a pattern',
  'open-pattern': 'A pattern that also matches identities of other people or organisations',
  repeated: 'An entry that is listed twice',
  'yaml-words': 'A value without quotes that YAML 1.1 reads as another value',
  'registry-unreachable': 'A registry that no image reference can match',
  'registry-official':
    'docker.io/NAME is an organisation of Docker Hub; the official image is docker.io/library/NAME',
  'registry-covered': 'A registry that another entry covers',
  'unfixed-unused': 'ignoreUnfixed without a threshold',
  'scan-unused': 'Images wait for a scan, but no gate uses its result',
  'signals-unused': 'deploymentContext.signals are set, but deploymentContext.mode is Ignore',
  'escalate-nothing': 'Escalation is set, but no gate can become stricter',
  'tag-covered': 'denyLatestTag has no effect, because digestEnforcement: require denies the same images',
  'reconcile-audit': 'runtimeReconciliation is enforce, but an audit policy stops no running pod',
  'no-gate': 'A policy that can deny nothing',
  'sla-empty': 'sla without a remediation window',
  'sla-order': 'A more severe finding has a longer remediation window',
  'system-namespace': "A namespace of the cluster's own parts",
  'break-glass-nobody': 'Break-glass for nobody',
  'break-glass-off': 'Break-glass groups are listed, but break-glass is off',
  'break-glass-open': 'Break-glass for everybody, or for controllers',
  'break-glass-masters': 'Break-glass for system:masters',
  'break-glass-no-group': 'A break-glass group that nobody is in',
  'same-name': 'Two policies of one name',
  'registries-disjoint': 'Two policies that together allow no registry',
  'break-glass-partial': 'A group may bypass this policy, but another policy still denies its pods',
  'audit-beside-enforce': 'The stricter of two policies only audits',
  'enforce-to-audit': 'A policy stops enforcing',
  looser: 'A field became looser than what is in effect',
} as const;

/** RuleId is the stable name of a rule; one that is not in the list does not compile. */
export type RuleId = keyof typeof TITLES;

/**
 * LINT_RULES are all rules with what each is about. The ids are stable: pipelines name them. Those of errors first;
 * the manual page lists the same.
 */
export const LINT_RULES: readonly LintRule[] = Object.entries(TITLES).map(([id, title]) => ({ id, title }));
