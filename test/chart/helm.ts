import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';

/** CHART is the folder of the chart. */
export const CHART = resolve(import.meta.dirname, '../../charts/image-policy-operator');

/** Manifest is one object that the chart makes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // What a test reads of an object is that test's own business.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [key: string]: any;
}

const HELM = await findHelm();

/** withHelm are the options of a test that needs helm: it is skipped, and says so, where there is none. */
export const withHelm = {
  skip: HELM === null && 'no helm: put it on the PATH, or its path into HELM_BIN',
  timeout: 300_000,
};

async function findHelm(): Promise<string | null> {
  const given = process.env['HELM_BIN'];
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'helm'));
  for (const place of given === undefined || given === '' ? places : [given]) {
    try {
      await access(place, constants.X_OK);
      return place;
    } catch {
      // The next place may have it.
    }
  }
  return null;
}

/** HelmFault is what helm said when it refused. */
export class HelmFault extends Error {}

/** helm runs it with no cluster in reach but the one of `kubeconfig`, and gives what it printed. Throws HelmFault. */
export async function helm(
  args: readonly string[],
  options: { readonly input?: string; readonly kubeconfig?: string } = {},
): Promise<string> {
  const run = promisify(execFile)(HELM ?? 'helm', [...args], {
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      KUBECONFIG: options.kubeconfig ?? '/nonexistent/kubeconfig',
    },
  });
  run.child.stdin?.end(options.input ?? '');
  try {
    return (await run).stdout;
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { readonly stderr?: string; readonly stdout?: string };
    throw new HelmFault(`${stderr}${stdout}`, { cause: error });
  }
}

/** render gives the objects that the chart makes of these values, hooks included, in the namespace `ipo-system` as the release `prod`. */
export async function render(
  values: Readonly<Record<string, unknown>> = {},
  chart: string = CHART,
): Promise<readonly Manifest[]> {
  const text = await helm(['template', 'prod', chart, '--namespace', 'ipo-system', '--values', '-'], {
    input: JSON.stringify(values),
  });
  return manifestsOf(text);
}

/** manifestsOf reads what helm printed, and throws for YAML with a fault or a key that stands twice. */
export function manifestsOf(text: string): readonly Manifest[] {
  return parseAllDocuments(text, { uniqueKeys: true, version: '1.1' })
    .map((document) => {
      const [fault] = document.errors;
      if (fault !== undefined) throw fault;
      return document.toJS() as Manifest | null;
    })
    .filter((object) => object !== null);
}

/** find gives the one object of a kind whose name ends so. Throws when there is none, or more than one. */
export function find(objects: readonly Manifest[], kind: string, ending = ''): Manifest {
  const [found, ...more] = objects.filter(
    (object) => object.kind === kind && object.metadata.name.endsWith(ending),
  );
  if (found === undefined || more.length > 0) {
    throw new Error(`${found === undefined ? 'no' : 'more than one'} ${kind} whose name ends in "${ending}"`);
  }
  return found;
}

/** isThere tells whether there is any object of a kind whose name ends so. */
export function isThere(objects: readonly Manifest[], kind: string, ending = ''): boolean {
  return objects.some((object) => object.kind === kind && object.metadata.name.endsWith(ending));
}
