import { stringify } from 'yaml';

/**
 * toYaml writes a JSON value as YAML: the same keys and values, in the same order. No line is folded and nothing
 * stands as an alias, so that a line says what its field holds and readers need to know neither. A string that a reader of YAML 1.1 would take
 * for something else (a time, a date, `yes`) stands in quotes.
 */
export function toYaml(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 0 });
}
