/** What only the writers of policies need; reached through `loadAuthoring` of the index. */
export { judgeChanges, type EntryChanges, type FieldChange } from './changes.ts';
export { comparePolicies, type Comparison, type PolicyPair } from './compare.ts';
export { formatPolicies, type Formatted } from './format.ts';
export { policyJsonSchema, SCHEMA_ID } from './json-schema.ts';
export { lintPolicies } from './lint.ts';
export { LINT_RULES } from './rules/catalogue.ts';
export { showEntry, showValue } from './show.ts';
export { starterPolicy, type StarterChoices } from './starter.ts';
