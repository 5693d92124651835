import type { Principal } from '../../accounts/index.ts';
import { printable } from '../../base/index.ts';
import { MAX_BUNDLE_BYTES, type Configuration, type Imported } from '../../configuration/index.ts';
import { toYaml } from '../../render/index.ts';
import { importBody, importedSchema, type ImportedBody } from '../contract/configuration.ts';
import { problemSchema } from '../contract/problem.ts';
import { route, type Route } from '../route.ts';

/** ConfigurationParts are what the routes of the configuration act through; an import writes its own audit entries. */
export interface ConfigurationParts {
  readonly configuration: Configuration;
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;
const YAML = 'application/yaml';

/** configurationRoutes export and import the configuration. */
export function configurationRoutes({ configuration }: ConfigurationParts): Route[] {
  return [
    route({
      key: 'GET /config/export',
      id: 'exportConfiguration',
      tag: 'system',
      summary: 'Export the configuration as one stream of YAML documents',
      description: 'Sorted, without times and without secrets: two exports differ only in what differs.',
      answers: { 200: { description: 'The configuration', type: YAML } },
      handle: async () => {
        const { documents, left } = await configuration.export();
        const comments = left.map((sentence) => `# ${printable(sentence, 1000)}\n`).join('');
        return { type: YAML, body: comments + documents.map((one) => toYaml(one)).join('---\n') };
      },
    }),
    route({
      key: 'POST /config/import',
      id: 'importConfiguration',
      tag: 'system',
      summary: 'Import a configuration, or compare one with what there is',
      description:
        'What is in the database is written in one transaction, after a dry run of the objects of the cluster. Importing it again changes nothing.',
      body: importBody,
      maxBody: MAX_BUNDLE_BYTES,
      answers: {
        200: { description: 'What became of each object', schema: importedSchema },
        409: { ...PROBLEM, description: 'Somebody else wrote at the same time; nothing was changed' },
        412: { ...PROBLEM, description: 'The difference is another one by now; nothing was changed' },
      },
      handle: async ({ body, principal, path }) => {
        const { accountId, name } = principal as Principal;
        const { documents, prune, dry_run: dryRun, difference } = body;
        const actor = { accountId, name };
        const imported = await configuration.import({ documents, prune, dryRun, difference, actor, path });
        const { written } = imported;
        return { body: toBody(imported), ...(written !== null && { written }) };
      },
    }),
  ];
}

function toBody({ difference, changed, items }: Imported): ImportedBody {
  return {
    difference,
    changed,
    complete: !items.some(({ outcome }) => outcome === 'not_applied'),
    items: items.map(({ before, after, notes, ...item }) => ({
      ...item,
      before: item.change === 'unchanged' ? null : before,
      after: item.change === 'unchanged' ? null : after,
      notes: [...notes],
    })),
    total: items.length,
  };
}
