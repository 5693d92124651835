import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { customResourceDefinitions } from '../src/cluster/index.ts';

/** CRDS is where the chart's template takes them from; what stands in a chart's `crds/` Helm never upgrades. */
const CRDS = resolve(import.meta.dirname, '..', 'charts', 'image-policy-operator', 'files', 'crds');

const HEAD =
  '# Made by `node scripts/crds.ts` from the schemas that read and write these objects. Do not edit.\n';

/** crdFiles gives every file of CustomResourceDefinitions by its name. */
export function crdFiles(): ReadonlyMap<string, string> {
  return new Map(
    customResourceDefinitions().map((definition) => {
      const { name } = definition['metadata'] as { name: string };
      const text = stringify(definition, {
        lineWidth: 0,
        aliasDuplicateObjects: false,
        version: '1.1', // Kubernetes and Helm read a bare `off` as false
      });
      return [`${name.replace(/^([^.]+)\.(.+)$/, '$2_$1')}.yaml`, HEAD + text];
    }),
  );
}

/** Writes the files, or with `--check` says which of them are not as they would be written. */
if (import.meta.main) {
  const { check } = parseArgs({ options: { check: { type: 'boolean', default: false } } }).values;
  for (const [name, text] of crdFiles()) {
    const path = join(CRDS, name);
    if (!check) {
      await mkdir(CRDS, { recursive: true });
      await writeFile(path, text);
    } else if ((await readFile(path, 'utf8').catch(() => null)) !== text) {
      process.exitCode = 1;
      process.stderr.write(
        `charts/image-policy-operator/files/crds/${name} is not as the schemas make it; run node scripts/crds.ts\n`,
      );
    }
  }
}
