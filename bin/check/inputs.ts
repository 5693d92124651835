import { MAX_MANIFEST_BYTES, parseManifest, type Manifest, type Skipped } from '../../src/manifests/index.ts';
import type { CliParts } from '../../src/app/index.ts';
import { nearest, parseTime, printable } from '../../src/base/index.ts';
import { parseReference } from '../../src/image/index.ts';
import { namespaceFault, SIGNALS, type ParsedPolicy } from '../../src/policy/index.ts';

import type { CheckOptions } from './options.ts';
import { checkStdin, isThere, readPolicies, withDirectories } from '../files/index.ts';
import { UsageError } from '../terminal/usage.ts';
import { podsOf, type CheckedPod } from '../../src/checks/index.ts';

/** checkFlags refuses a command line that says too little or contradicts itself. Throws UsageError. */
export function checkFlags(images: readonly string[], options: CheckOptions): void {
  const { policy = [], manifest = [], trivy = [], ledger, kev } = options;
  if (policy.length === 0)
    throw new UsageError('no policy given', 'Add --policy FILE; `ipo policy init` writes a first policy');
  if (images.length === 0 && manifest.length === 0) {
    throw new UsageError('no image or manifest given', 'Name images, or manifests with -f FILE');
  }
  checkNamespace(options.namespace);
  checkStdin([...policy, ...manifest, ...trivy, ledger, kev]);
  if (images.length > 0) return;
  const { signals, exposedBy, quota, breakGlass } = options;
  for (const [flag, given] of Object.entries({
    '--signals': signals,
    '--exposed-by': exposedBy,
    '--quota': quota,
    '--break-glass': breakGlass,
  })) {
    if (given !== undefined)
      throw new UsageError(
        `${flag} applies only to images given by name; a manifest holds this itself`,
        'Leave it out',
      );
  }
}

/** checkNamespace refuses what no namespace can be called: no policy would govern it. Throws UsageError. */
export function checkNamespace(namespace: string): void {
  const fault = namespaceFault(namespace);
  if (fault !== null)
    throw new UsageError(
      `--namespace ${printable(namespace) || '""'}: ${fault.message}`,
      // Other hints are about a list of namespaces.
      fault.hint?.startsWith('Did you mean') ? fault.hint : undefined,
    );
}

/**
 * refuseFiles refuses a manifest that was named as an image: `-f *.yaml` makes images of all files but the first. A
 * repository may be called `schema.json`, so what could be either is a file if there is one. Throws UsageError.
 */
export async function refuseFiles(
  images: readonly string[],
  parts: Pick<CliParts, 'readText'>,
): Promise<void> {
  for (const image of images) {
    if (!/\.(?:ya?ml|json)$/i.test(image)) continue;
    if (!('fault' in parseReference(image)) && !(await isThere(image, parts))) continue;
    throw new UsageError(
      `${printable(image)}: this is a file, not an image`,
      'Give each manifest with its own -f',
    );
  }
}

/** parseAsOf reads `--as-of` in milliseconds, or gives null where it is not given. Throws UsageError. */
export function parseAsOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const at = parseTime(text);
  if (Number.isNaN(at))
    throw new UsageError(
      `--as-of ${printable(text)}: this is not an RFC 3339 time`,
      'Write it as 2026-11-20T06:00:00Z',
    );
  return at;
}

/** parseNames reads a list such as `a,b` of a flag; null where it is not given. */
export function parseNames(text: string | undefined): readonly string[] | null {
  return text === undefined
    ? null
    : text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '');
}

/** podOfArguments gives the pod that runs the images given by name, with the facts that flags report it. Throws UsageError. */
export function podOfArguments(images: readonly string[], options: CheckOptions): CheckedPod {
  const { namespace, exposedBy, quota, breakGlass } = options;
  const signals = parseNames(options.signals);
  const strange = signals?.find((signal) => !(SIGNALS as readonly string[]).includes(signal));
  if (strange !== undefined) {
    const close = nearest(strange, SIGNALS);
    throw new UsageError(
      `--signals ${printable(strange)}: not a valid signal; valid are ${SIGNALS.join(', ')}`,
      close === null ? undefined : `Did you mean "${close}"?`,
    );
  }
  if (exposedBy !== undefined && !/^(?:Service|Ingress) [^\s/]+\/[^\s/]+$/.test(exposedBy)) {
    throw new UsageError(
      `--exposed-by ${printable(exposedBy) || '""'}: not a valid exposure; write 'Service NS/NAME' or 'Ingress NS/NAME'`,
    );
  }
  if (
    quota !== undefined &&
    !/^(?:monthly allowance of \d+ image names|node ceiling of \d+) exceeded$/.test(quota)
  ) {
    throw new UsageError(
      `--quota ${printable(quota) || '""'}: not a sentence of the gate quota`,
      "Write 'node ceiling of 12 exceeded' or 'monthly allowance of 100 image names exceeded'",
    );
  }
  return {
    file: null,
    kind: null,
    name: null,
    namespace,
    line: 0,
    column: 0,
    signals: signals ?? (exposedBy === undefined ? null : ['exposed']),
    exposedBy: exposedBy ?? null,
    breakGlassReason: breakGlass ?? null,
    quota: quota ?? null,
    images: images.map((image) => ({ container: null, role: null, image, line: 0, column: 0 })),
  };
}

/**
 * readManifests reads the manifests. Services and Ingresses of any of the files expose the pods of all of them, as
 * they would once they are applied together. Throws ManifestError, FileError.
 */
export async function readManifests(
  paths: readonly string[],
  namespace: string,
  parts: CliParts,
): Promise<{
  readonly pods: readonly CheckedPod[];
  readonly skipped: readonly Skipped[];
  readonly without: readonly string[];
}> {
  const manifests: Manifest[] = [];
  const without: string[] = [];
  for (const path of await withDirectories(paths, 'manifest', parts)) {
    const file = path === '-' ? 'stdin' : path;
    const manifest = parseManifest(await parts.readText(path, MAX_MANIFEST_BYTES), file, namespace);
    if (manifest.workloads.length === 0 && manifest.skipped.length === 0) without.push(file);
    manifests.push(manifest);
  }
  return {
    pods: podsOf(manifests),
    skipped: manifests.flatMap(({ skipped }) => skipped),
    without,
  };
}

/** readAllPolicies reads the policies of all files. Two of one name contradict each other. Throws PolicyError, FileError, UsageError. */
export async function readAllPolicies(
  paths: readonly string[],
  parts: CliParts,
): Promise<readonly ParsedPolicy[]> {
  const policies: ParsedPolicy[] = [];
  for (const path of await withDirectories(paths, 'policy', parts))
    policies.push(...(await readPolicies(path, parts)));
  const byName = new Map<string, ParsedPolicy>();
  for (const parsed of policies) {
    const { name } = parsed.policy;
    const first = byName.get(name);
    if (first !== undefined) {
      throw new UsageError(
        `two policies have the name "${printable(name)}": one in ${first.places.file}, one in ${parsed.places.file}`,
        'Names are unique in a cluster; leave one out',
      );
    }
    byName.set(name, parsed);
  }
  return policies;
}
