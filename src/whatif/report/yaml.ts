import { stringify } from 'yaml';

/** toYaml writes an answer as YAML: the same keys and values, in the same order, as its JSON. */
export function toYaml(result: object): string {
  return stringify(result, { aliasDuplicateObjects: false, lineWidth: 0 });
}
