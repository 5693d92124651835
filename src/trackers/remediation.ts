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

/** remediationState gives the state by its six rules, in the order of the service's description. */
export function remediationState({
  window,
  connected,
  raised,
  fixed,
  inside,
}: RemediationCounts): RemediationState {
  // "No remediation window is declared."
  if (window === null) return 'gap';
  // "No tracker is connected."
  if (!connected) return 'partial';
  // "A tracker is connected and nothing was raised, or nothing raised has been fixed."
  if (raised === 0 || fixed === 0) return 'partial';
  // "Findings were fixed but none inside the declared window."
  if (inside === 0) return 'gap';
  // "Some fixes were inside the window and some late."
  if (inside < fixed) return 'partial';
  // "Every fixed critical finding raised in the period was fixed inside the window, and at least one was."
  return 'met';
}
