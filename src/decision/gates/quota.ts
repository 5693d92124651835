import { gate } from '../gate.ts';

/** quota denies what the meter or the node ceiling no longer allows; the sentence comes from the meter. */
export const quota = gate({
  label: 'quota',
  begins: ['monthly allowance of ', 'node ceiling of '],
  fields: [],
  title: 'a ceiling of the licence was exceeded',
  help: 'The admission was refused because a ceiling of the licence was exceeded. A what-if does not run the licence meter again.',
  judge: (_rules, subject) => subject.quota,
  // Nodes do not come and go with the month.
  remedy: ({ sentence }) =>
    sentence.startsWith('node ceiling of ')
      ? 'have the node ceiling raised, or remove nodes'
      : 'wait for the next month, or have the allowance raised',
});
