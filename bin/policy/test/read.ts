import { dirname, isAbsolute, join } from 'node:path';
import type { CliParts } from '../../../src/app/index.ts';
import type { ImageFacts } from '../../../src/facts/index.ts';
import { MAX_MANIFEST_BYTES, parseManifest } from '../../../src/manifests/index.ts';
import type { ParsedPolicy } from '../../../src/policy/index.ts';
import type { CaseSources, TestCase } from '../../../src/policy-test/index.ts';
import { readAllPolicies } from '../../check/inputs.ts';

/** CaseReader reads what the paths of cases lead to, each file once. */
export class CaseReader {
  readonly #parts: CliParts;
  readonly #policies = new Map<string, Promise<readonly ParsedPolicy[]>>();
  readonly #ledgers = new Map<string, Promise<ReadonlyMap<string, ImageFacts>>>();
  readonly #kevs = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(parts: CliParts) {
    this.#parts = parts;
  }

  /** The policies of a case. Throws PolicyError, FileError, UsageError. */
  policies(one: TestCase): Promise<readonly ParsedPolicy[]> {
    const paths = one.policies.map((path) => beside(one.file, path));
    return once(this.#policies, JSON.stringify(paths), () => readAllPolicies(paths, this.#parts));
  }

  /** Everything else. Throws FileError, ManifestError, ReportError and LedgerError. */
  async sources(one: TestCase, policies: readonly ParsedPolicy[]): Promise<CaseSources> {
    const { given, file } = one;
    const parts = this.#parts;
    const manifests = [];
    for (const path of given.manifests) {
      const shown = beside(file, path);
      const text = await parts.readText(shown, MAX_MANIFEST_BYTES);
      manifests.push(parseManifest(text, shown, given.namespace ?? 'default'));
    }
    const reports = [];
    for (const path of given.reports) reports.push(await parts.readTrivy(beside(file, path)));
    const { ledger, kev } = given;
    return {
      policies: policies.map(({ policy }) => policy),
      manifests,
      reports,
      ledger: ledger === undefined ? null : await this.#images(beside(file, ledger)),
      kev: kev === undefined ? null : await once(this.#kevs, kev, () => parts.readKev(beside(file, kev))),
      now: parts.clock.now(),
    };
  }

  #images(path: string): Promise<ReadonlyMap<string, ImageFacts>> {
    return once(this.#ledgers, path, async () => {
      const ledger = await this.#parts.openLedger(path);
      await ledger.close();
      return ledger.images;
    });
  }
}

/** Paths of a test file are relative to it, so that it works from every directory. */
function beside(file: string, path: string): string {
  return isAbsolute(path) || file === 'stdin' ? path : join(dirname(file), path);
}

function once<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  let found = known.get(key);
  if (found === undefined) known.set(key, (found = read()));
  return found;
}
