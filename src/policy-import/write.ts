import { printable } from '../base/index.ts';
import { toYaml } from '../render/index.ts';
import { NOTHING } from './imported.ts';
import type { ImportedPolicy, ImportResult } from './import.ts';

/** importedText writes the policies as one file, with a comment at each on what became of the rules. */
export function importedText({ policies, rules }: ImportResult): string {
  return policies
    .map((policy) => {
      const own = rules.filter((rule) => rule.policies.includes(policy.name));
      const notes = own.map(({ rule, outcome, reasons }) => [`${rule}: ${outcome}`, ...reasons].join('; '));
      const comments = [`From ${policy.from}`, ...notes].map((line) => `# ${printable(line, 400)}\n`);
      return `${comments.join('')}${toYaml(documentOf(policy))}`;
    })
    .join('---\n');
}

/** documentOf gives a policy with what differs from the defaults, and what makes it deny nothing else. */
export function documentOf({ name, spec }: ImportedPolicy): object {
  const kept = Object.entries(spec).filter(
    ([field, value]) =>
      ALWAYS.has(field) || JSON.stringify(value) !== JSON.stringify(NOTHING[field as keyof typeof NOTHING]),
  );
  return {
    apiVersion: 'ipo.dev/v1',
    kind: 'ImagePolicy',
    metadata: { name },
    spec: Object.fromEntries(kept),
  };
}

const ALWAYS = new Set([
  'enforcement',
  'severityThreshold',
  'knownExploited',
  'endOfLifeOS',
  'runtimeReconciliation',
]);
