/** REMEDIATION_STATES are the states of the remediation-windows attestation. */
export const REMEDIATION_STATES = ['met', 'partial', 'gap'] as const;

/** RemediationState is one of them. */
export type RemediationState = (typeof REMEDIATION_STATES)[number];

/** RemediationCounts are what the state follows from; all of critical findings that were raised in the period. */
export interface RemediationCounts {
  /** The declared window in milliseconds, or null when no window is declared. */
  readonly window: number | null;
  /** Whether a tracker is connected. */
  readonly connected: boolean;
  readonly raised: number;
  /** Closed as `fixed`: "only `fixed` counts as remediation". */
  readonly fixed: number;
  /** Fixed inside the window. */
  readonly inside: number;
}

/** Remediation is the state with the rule that gave it, as the service's description words it. */
export interface Remediation {
  readonly state: RemediationState;
  readonly sentence: string;
}

/** judgeRemediation gives the state by its six rules, in the order of the service's description. */
export function judgeRemediation(counts: RemediationCounts): Remediation {
  const { window, connected, raised, fixed, inside } = counts;
  if (window === null) return { state: 'gap', sentence: 'No remediation window is declared.' };
  if (!connected) return { state: 'partial', sentence: 'No tracker is connected.' };
  if (raised === 0) return { state: 'partial', sentence: 'A tracker is connected and nothing was raised.' };
  if (fixed === 0)
    return { state: 'partial', sentence: 'A tracker is connected, and nothing raised has been fixed.' };
  if (inside === 0)
    return { state: 'gap', sentence: 'Findings were fixed but none inside the declared window.' };
  if (inside < fixed)
    return { state: 'partial', sentence: 'Some fixes were inside the window and some late.' };
  return {
    state: 'met',
    sentence:
      'Every fixed critical finding raised in the period was fixed inside the window, and at least one was.',
  };
}

/** remediationState is only its state. */
export function remediationState(counts: RemediationCounts): RemediationState {
  return judgeRemediation(counts).state;
}
