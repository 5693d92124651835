import type { Gate } from './gate.ts';
import { GATES } from './order.ts';

/** DenialLabel is the reason for which an image is refused. */
export type DenialLabel = (typeof GATES)[number]['label'];

/** DENIAL_LABELS are the reasons for which an image is refused, in the order in which they are judged. */
export const DENIAL_LABELS: readonly DenialLabel[] = GATES.map(({ label }) => label);

/** WORKLOAD_HARDENING labels a refusal of a pod as a whole, which carries no image and is never replayed. */
export const WORKLOAD_HARDENING = 'workload_hardening';

/** isDenialLabel tells whether a text is the label of a gate. */
export function isDenialLabel(text: string): text is DenialLabel {
  return gateOf(text) !== null;
}

/** gateOf gives the gate of a label; null for a text that is none. */
export function gateOf(label: DenialLabel): Gate;
export function gateOf(label: string): Gate | null;
export function gateOf(label: string): Gate | null {
  return GATES.find((gate) => gate.label === label) ?? null;
}
