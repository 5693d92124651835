import * as z from 'zod/mini';
import { parseTime, printable } from '../base/index.ts';
import type { ImageFacts } from '../facts/index.ts';
import { readManifestDocuments, type ManifestDocument } from '../manifests/index.ts';
import { SIGNALS, type Place } from '../policy/index.ts';
import { expectation, toExpected, type Expected } from './expect.ts';
import { HOW, problemsOf } from './explain.ts';
import { factsGiven } from './facts-given.ts';
import { PolicyTestError } from './test-error.ts';

/** TEST_ENDINGS are what the names of test files end in, where a directory is given. */
export const TEST_ENDINGS = ['.test.yaml', '.test.yml', '.test.json'] as const;

const path = z.string().check(z.minLength(1), z.maxLength(4096));
const paths = z.optional(z.union([path, z.array(path).check(z.maxLength(100))]));
const mapping = z.record(z.string(), z.unknown());

const given = z.strictObject({
  image: z.optional(path),
  namespace: z.optional(path),
  signals: z.optional(z.array(z.enum(SIGNALS))),
  exposedBy: z.optional(z.string().check(z.regex(/^(?:Service|Ingress) [^\s/]+\/[^\s/]+$/))),
  quota: z.optional(path),
  breakGlass: z.optional(
    z.strictObject({ reason: z.string(), groups: z.array(z.string()).check(z.maxLength(64)) }),
  ),
  coldImagePolicy: z.optional(z.enum(['AllowAndScan', 'DenyUntilScanned'])),
  facts: z.optional(z.union([mapping, z.array(mapping).check(z.maxLength(1000))])),
  pod: z.optional(mapping),
  manifest: paths,
  report: paths,
  ledger: z.optional(path),
  kev: z.optional(path),
});

const testCase = z.strictObject({
  name: path,
  policy: paths,
  at: z.optional(z.string()),
  given,
  expect: expectation,
});

const testFile = z.strictObject({
  apiVersion: z.literal('ipo.dev/v1'),
  kind: z.literal('PolicyTest'),
  metadata: z.optional(z.strictObject({ name: z.optional(z.string()) })),
  policy: paths,
  at: z.optional(z.string()),
  cases: z.array(testCase).check(z.minLength(1), z.maxLength(10_000)),
});

type Given = z.infer<typeof given>;

/** TestCase is one case as read. Paths are as written, relative to the file. */
export interface TestCase {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly name: string;
  readonly policies: readonly string[];
  /** Milliseconds; null for now. */
  readonly at: number | null;
  readonly given: Omit<Given, 'facts' | 'manifest' | 'report'> & {
    readonly facts: readonly ImageFacts[];
    readonly manifests: readonly string[];
    readonly reports: readonly string[];
  };
  readonly expected: Expected;
}

/** TestFile is a file of cases. */
export interface TestFile {
  readonly file: string;
  readonly cases: readonly TestCase[];
}

/** parseTests reads a file of test cases, strictly. Throws PolicyTestError or ManifestError with file, line and column. */
export function parseTests(text: string, file: string): TestFile {
  const cases: TestCase[] = [];
  for (const document of readManifestDocuments(text, file)) cases.push(...casesOf(document, file));
  if (cases.length === 0)
    throw new PolicyTestError('the file holds no test case', { file, line: 1, column: 1 }, HOW);
  return { file, cases };
}

function casesOf(document: ManifestDocument, file: string): TestCase[] {
  const result = testFile.safeParse(document.value);
  const fault = (
    at: readonly PropertyKey[],
    message: string,
    hint?: string,
    also: readonly PolicyTestError[] = [],
  ): PolicyTestError =>
    new PolicyTestError(printable(message, 400), { file, ...document.placeOf(at) }, hint, also);
  if (!result.success) {
    // As one reads the file, not as the schema is walked.
    const [first, ...more] = problemsOf(result.error.issues, document.value).toSorted((a, b) =>
      inOrder(document.placeOf(a.path), document.placeOf(b.path)),
    );
    if (first === undefined) throw fault([], 'the file cannot be read as test cases', HOW);
    const also = more.map(({ path: at, message, hint }) => fault(at, message, hint));
    throw fault(first.path, first.message, first.hint, also);
  }
  const { policy, at: atOfFile, cases } = result.data;
  return cases.map((one, i) => {
    const here = ['cases', i];
    const policies = toList(one.policy ?? policy);
    if (policies.length === 0)
      throw fault(
        here,
        `the case "${one.name}" names no policy`,
        'Write "policy: FILE" for the file or the case',
      );
    const time = one.at ?? atOfFile;
    const at = time === undefined ? null : parseTime(time);
    if (at !== null && Number.isNaN(at))
      throw fault(
        one.at === undefined ? ['at'] : [...here, 'at'],
        `at is not an RFC 3339 time`,
        'Write it as "2026-11-20T06:00:00Z"',
      );
    const { facts, manifest, report, ...rest } = one.given;
    if (rest.image === undefined && rest.pod === undefined && manifest === undefined)
      throw fault(
        [...here, 'given'],
        `the case "${one.name}" has no image, pod or manifest to decide on`,
        'Give an image, a pod or a manifest',
      );
    return {
      file,
      ...document.placeOf([...here, 'name']),
      name: one.name,
      policies,
      at,
      given: {
        ...rest,
        facts: factsGiven(facts, rest.image, (below, message, hint) =>
          fault([...here, 'given', 'facts', ...below], message, hint),
        ),
        manifests: toList(manifest),
        reports: toList(report),
      },
      expected: toExpected(one.expect),
    };
  });
}

const inOrder = (a: Place, b: Place): number => a.line - b.line || a.column - b.column;

function toList(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
