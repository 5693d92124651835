/** EFFECTS are what may come of an event, the strongest last. */
export const EFFECTS = ['allow', 'record', 'notify', 'issue', 'stop'] as const;

/** RuntimeEffect is one of them. */
export type RuntimeEffect = (typeof EFFECTS)[number];
