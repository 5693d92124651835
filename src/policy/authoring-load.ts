import type * as authoring from './authoring.ts';

/** Authoring is what the writers of policies need: lint, JSON Schema, canonical form, judged differences, a start. */
export type Authoring = typeof authoring;

/** loadAuthoring loads it; a decision or a replay never does. */
export function loadAuthoring(): Promise<Authoring> {
  return import('./authoring.ts');
}
