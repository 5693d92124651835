import type { RuntimeRule } from '../../../src/runtime/index.ts';

/** matchText says in a line which events a rule is about. */
export function matchText({ match }: Pick<RuntimeRule, 'match'>): string {
  const { rules, tags, priority, sources, namespaces, fields, lastVerdict, signed } = match;
  const parts = [
    ...(rules === undefined ? [] : [`rule ${anyOf(rules)}`]),
    ...(tags === undefined ? [] : [`tag ${anyOf(tags)}`]),
    ...(priority === undefined ? [] : [`${priority} or graver`]),
    ...(sources === undefined ? [] : [`source ${anyOf(sources)}`]),
    ...(namespaces === undefined ? [] : [`in ${anyOf(namespaces)}`]),
    ...(fields ?? []).map((field) => {
      if (field.equals !== undefined) return `${field.name}=${field.equals}`;
      return field.in === undefined
        ? `${field.name}~${field.matches}`
        : `${field.name}=${field.in.join('|')}`;
    }),
    ...(lastVerdict === undefined ? [] : [`last admission ${lastVerdict}`]),
    ...(signed === undefined ? [] : [signed ? 'signed' : 'not signed']),
  ];
  return parts.length === 0 ? 'every event' : parts.join(', ');
}

function anyOf(names: readonly string[]): string {
  return names.length > 3
    ? `${names.slice(0, 3).join(' or ')} or ${names.length - 3} more`
    : names.join(' or ');
}

/** whenText says when a rule acts: its window and its throttle. */
export function whenText({
  window,
  throttle,
  action,
}: Pick<RuntimeRule, 'window' | 'throttle' | 'action'>): string {
  const from = window === undefined ? 'each event' : `after ${window.count} in ${window.duration}`;
  if (action !== 'notify') return from;
  return `${window === undefined ? 'at the first event' : from}; at most one alert in ${throttle ?? '1h'}`;
}
