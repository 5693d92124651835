/** SEVERAL is what to do about two entries of a list that were read as one. */
export const SEVERAL = 'Put a comma between two entries, or each on a line of its own with a dash';

/** Tells what two entries of a list become without a comma or a new dash between them. */
function isSeveral(value: string): boolean {
  return /^[a-z0-9.:/-]+(?: +(?:- ?)?[a-z0-9.:/-]+)+$/.test(value);
}

/** registryHint guesses which allow-list entry was meant: `https://ghcr.io/acme/*` is `ghcr.io/acme`. */
export function registryHint(value: string): string | null {
  if (value.length > 300) return null;
  if (isSeveral(value)) return SEVERAL;
  const [, host = '', path = ''] = /^([^/]*)(.*)$/.exec(value.trim().replace(/^[a-z+]+:\/\//i, '')) ?? [];
  const trimmed = path
    .replace(/@.*$/, '')
    .replace(/:[^/]*$/, '')
    .replace(/(\/\**)+$/, '')
    .toLowerCase();
  const written = `${host.replace(/^\*+\.?/, '')}${trimmed}`;
  if (host === '' || host.startsWith('*'))
    return 'List each registry; wildcards are not supported, and a host covers every path under it';
  return /^[\w.:[\]-]+(\/[\w./-]+)?$/.test(written) && written !== value
    ? `Write "${written}"; it covers everything under it`
    : null;
}

/** namespaceHint guesses the name that was meant. */
export function namespaceHint(value: string): string | null {
  if (isSeveral(value)) return SEVERAL;
  if (value.includes('*'))
    return 'Wildcards are not supported; list each namespace, or leave the list empty for the whole cluster';
  const name = value
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name !== value && /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/.test(name)
    ? `Did you mean "${name}"?`
    : null;
}

const HOURS_IN: ReadonlyMap<string, number> = new Map(
  Object.entries({ d: 24, day: 24, days: 24, w: 168, week: 168, weeks: 168, hour: 1, hours: 1 }),
);

/** durationHint turns days and weeks, which Go durations do not have, into hours. */
export function durationHint(value: string): string | null {
  const [, count = '', unit = ''] = /^\s*(\d{1,6})\s*([a-z]*)\s*$/i.exec(value) ?? [];
  if (count === '') return null;
  if (unit === '') return `Add the unit: ${count}h`;
  const hours = HOURS_IN.get(unit.toLowerCase());
  return hours === undefined ? null : `Write ${Number(count) * hours}h`;
}
