/**
 * What is wrong with the form of a text of YAML or JSON, in our words: its one cause where that is known, else what the parser found.
 * It uses no other folder.
 */
export { explainForeign } from './explain.ts';
export { firstFault, syntaxFaults } from './faults.ts';
