/** PRIORITY_WORDS are Falco's priorities, the most severe first, for flags; what checks them is `src/runtime`. */
export const PRIORITY_WORDS: readonly string[] = [
  ...['Emergency', 'Alert', 'Critical', 'Error', 'Warning', 'Notice', 'Informational', 'Debug'],
];
