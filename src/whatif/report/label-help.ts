import { gateOf } from '../../decision/index.ts';

/** labelTitle says in a few words what a label means; empty for one that is none of ours. */
export function labelTitle(label: string): string {
  return gateOf(label)?.title ?? '';
}

/** labelHelp says what a label means and what to do. */
export function labelHelp(label: string): string {
  return gateOf(label)?.help ?? 'The recorded denial carries a reason that none of the gates gives today.';
}
