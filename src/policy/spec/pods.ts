import { mapping, orEmpty } from '../field.ts';
import { compareReach } from '../reach.ts';
import { choice, list, word } from '../schema-parts.ts';
import { SIGNALS } from '../signals.ts';
import { specField } from './spec-field.ts';
import { asks, equal, itself, ladder } from './strictness.ts';

const deploymentContext = mapping(
  {
    mode: choice(
      ['Ignore', 'Escalate'],
      'Ignore',
      'Under `Escalate` a pod with a selected signal is judged one step stricter.',
    ),
    signals: list(
      word(SIGNALS, 'A signal of the deployment context.'),
      'Signals that escalate. Empty means all six.',
      16,
    ),
  },
  'How the way a pod is deployed tightens its decision.',
);

/** pods says how the way a pod is deployed is judged, and what happens to pods that run. */
export const pods = {
  deploymentContext: specField({
    schema: orEmpty(deploymentContext),
    starter: () => `
# Escalate judges pods with a signal one step stricter; no signals means all six:
# ${SIGNALS.join(', ')}.
deploymentContext:
  mode: Ignore
  signals: []`,
    directions: {
      mode: ladder(({ mode }) => mode, ['Ignore', 'Escalate']),
      signals: (before, after) => {
        if (before.mode === 'Ignore' || after.mode === 'Ignore') return 'neither';
        const [left, right] = [before, after].map(({ signals }) =>
          signals.length === 0 ? SIGNALS : signals,
        );
        return asks(compareReach<string>(left ?? [], right ?? [], equal));
      },
    },
  }),
  workloadHardening: specField({
    schema: choice(
      ['ignore', 'warn', 'block'],
      'ignore',
      'What happens to a pod that shows one of the six signals, whatever its images.',
    ),
    starter: () => `
# A pod with one of these six signals, whatever its images: ignore, warn or block.
workloadHardening: ignore`,
    directions: { '': ladder(itself, ['ignore', 'warn', 'block']) },
    denies: (verdict) => verdict === 'block',
  }),
  runtimeReconciliation: specField({
    schema: choice(
      ['off', 'audit', 'enforce'],
      'audit',
      'Whether running pods are judged again, and whether that is acted on.',
    ),
    starter: () => `
# The hourly check of running pods: "off" (in quotes), audit, or enforce, which stops denied pods.
runtimeReconciliation: audit`,
    directions: { '': ladder(itself, ['off', 'audit', 'enforce']) },
  }),
};
