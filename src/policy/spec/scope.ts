import { compareReach } from '../reach.ts';
import { choice, list, namespace } from '../schema-parts.ts';
import { starterList } from './starter-text.ts';
import { specField } from './spec-field.ts';
import { asks, equal, itself, ladder } from './strictness.ts';

/** scope says which namespaces a policy governs, and whether it denies or only records. */
export const scope = {
  targetNamespaces: specField({
    schema: list(namespace, 'Namespaces that the policy governs. Empty means the whole cluster.', 1000),
    starter: ({ namespaces }) => `
# Namespaces that the policy governs; empty is the whole cluster.
targetNamespaces:${starterList(namespaces)}`,
    directions: {
      '': (before, after) => {
        if (after.length === 0) return 'tighter';
        return before.length === 0 ? 'looser' : asks(compareReach(before, after, equal));
      },
    },
  }),
  enforcement: specField({
    schema: choice(
      ['Audit', 'Enforce'],
      'Audit',
      '`Enforce` denies. `Audit` allows, and records what it would have denied.',
    ),
    starter: ({ enforce }) => `
# Audit allows, and records what it would have denied; Enforce denies.
enforcement: ${enforce ? 'Enforce' : 'Audit'}`,
    directions: { '': ladder(itself, ['Audit', 'Enforce']) },
  }),
};
