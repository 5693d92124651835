/** EFFECTS are what may come of an event, the strongest last. */
export const EFFECTS = ['allow', 'record', 'notify', 'issue', 'stop'] as const;

/** RuntimeEffect is one of them. */
export type RuntimeEffect = (typeof EFFECTS)[number];

/** What came of an event, and what a runtime policy did beside it. */
interface Acted {
  /** The runtime rule that decided. */
  readonly matchedRule: string | null;
  /** The runtime policy that asked for a stop. */
  readonly policy: string | null;
  readonly policyEffect: string | null;
}

/** By what a list shows a stop. */
const POLICY = 'policy:';

/** actorOf names what an event's strongest effect comes of: `policy:<name>` for a stop, else the rule that decided; null for none. */
export function actorOf({ matchedRule, policy, policyEffect }: Acted): string | null {
  return policy !== null && policyEffect === 'stop' ? `${POLICY}${policy}` : matchedRule;
}

/** stopperOf gives the runtime policy that `policy:<name>` names; null where a text is none. A rule may have such a name too. */
export function stopperOf(actor: string): string | null {
  return actor.startsWith(POLICY) ? actor.slice(POLICY.length) : null;
}
