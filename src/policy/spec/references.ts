import { normaliseRegistry } from '../../image/index.ts';
import { registryCovers } from '../entries.ts';
import { compareReach } from '../reach.ts';
import { choice, flag, list, registry } from '../schema-parts.ts';
import { starterList } from './starter-text.ts';
import { specField } from './spec-field.ts';
import { admits, itself, ladder } from './strictness.ts';

/** references says what the reference of an image must look like. */
export const references = {
  allowedRegistries: specField({
    schema: list(registry, 'Registries that images may come from. Empty allows any.'),
    starter: ({ registries }) => `

# host[/path], matched on whole segments; empty allows any. Official images are docker.io/library.
allowedRegistries:${starterList(registries)}`,
    directions: {
      '': (before, after) => {
        if (after.length === 0) return 'looser';
        if (before.length === 0) return 'tighter';
        return admits(
          compareReach(before.map(normaliseRegistry), after.map(normaliseRegistry), registryCovers),
        );
      },
    },
    denies: (entries) => entries.length > 0,
  }),
  denyLatestTag: specField({
    schema: flag('Denies a reference with the tag `latest`, or with neither tag nor digest.'),
    starter: () => `
# true denies :latest, and references with neither tag nor digest.
denyLatestTag: true`,
    directions: { '': ladder(itself, [false, true]) },
    denies: itself,
  }),
  digestEnforcement: specField({
    schema: choice(
      ['ignore', 'warn', 'require'],
      'ignore',
      'Whether the reference as written must name a digest.',
    ),
    starter: () => `
# A reference without a digest: ignore, warn or require.
digestEnforcement: warn`,
    directions: { '': ladder(itself, ['ignore', 'warn', 'require']) },
    denies: (word) => word === 'require',
  }),
};
