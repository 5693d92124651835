import { choice } from '../schema-parts.ts';
import { specField } from './spec-field.ts';
import { itself, ladder } from './strictness.ts';

/** VERDICTS are what a policy can do with something that a scan told. */
const VERDICTS = ['block', 'warn', 'ignore'] as const;

type Verdict = (typeof VERDICTS)[number];

/** A warning becomes a denial one step stricter. */
const judged = {
  directions: { '': ladder<Verdict, Verdict>(itself, ['ignore', 'warn', 'block']) },
  denies: (word: Verdict) => word === 'block',
  stricter: (word: Verdict): Verdict | null => (word === 'warn' ? 'block' : null),
};

/** verdicts say what happens to what is known to be exploited, and to what no longer gets fixes. */
export const verdicts = {
  knownExploited: specField({
    schema: choice(
      VERDICTS,
      'warn',
      'What happens to an image with a finding that is known to be exploited. Triaged CVEs are left out.',
    ),
    starter: () => `

# Findings known to be exploited: block, warn or ignore.
knownExploited: warn`,
    ...judged,
  }),
  endOfLifeOS: specField({
    schema: choice(
      ['warn', 'block', 'ignore'],
      'warn',
      'What happens to an image whose operating system is at its end of life.',
    ),
    starter: () => `
# An operating system at its end of life: warn, block or ignore.
endOfLifeOS: warn`,
    ...judged,
  }),
};
