/** PRIORITIES are those of Falco, the gravest first. */
export const PRIORITIES = [
  'Emergency',
  'Alert',
  'Critical',
  'Error',
  'Warning',
  'Notice',
  'Informational',
  'Debug',
] as const;

/** Priority is one of them. */
export type Priority = (typeof PRIORITIES)[number];

const BY_NAME: ReadonlyMap<string, Priority> = new Map<string, Priority>([
  ...PRIORITIES.map((one): [string, Priority] => [one.toLowerCase(), one]),
  ['info', 'Informational'],
]);

/** parsePriority reads a priority whatever its case (`info` is Informational); null for what is none. */
export function parsePriority(text: string): Priority | null {
  return BY_NAME.get(text.toLowerCase()) ?? null;
}

/** isAtLeast tells whether a priority is as grave as another, or graver. */
export function isAtLeast(priority: Priority, least: Priority): boolean {
  return PRIORITIES.indexOf(priority) <= PRIORITIES.indexOf(least);
}
