import { SPEC_FIELDS } from './schema.ts';
import type { StarterChoices } from './spec/spec-field.ts';
import { starterScalar } from './spec/starter-text.ts';

export type { StarterChoices } from './spec/spec-field.ts';

/**
 * starterPolicy writes a policy to begin with, with a comment on every field: it audits, refuses CRITICAL findings,
 * and declares the usual windows. The text is already in the form of `ipo policy fmt`.
 */
export function starterPolicy(choices: StarterChoices): string {
  const spec = SPEC_FIELDS.map(([, { starter }]) => starter(choices)).join('');
  return `# ${choices.name}: a policy of the image-policy operator.
# Check it with "ipo policy lint", and see what it would have changed with "ipo whatif".
apiVersion: ipo.dev/v1
kind: ImagePolicy
metadata:
  name: ${starterScalar(choices.name)}
spec:${spec.replaceAll(/\n(?=[^\n])/g, '\n  ')}
`;
}
