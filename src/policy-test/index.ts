/**
 * Tests of policies: files of cases, what each case gives and expects, whether the policies answer so, and which gates
 * no case has reached.
 * It uses `image`, `policy`, `facts`, `decision`, `manifests`, `scan` and `checks`.
 */
export { coverageOf, type GateCoverage, type PolicyCoverage } from './coverage.ts';
export { parseTests, TEST_ENDINGS, type TestCase, type TestFile } from './document.ts';
export type { Expected } from './expect.ts';
export { recordCase, type RecordedCase } from './record.ts';
export { runCase, type CaseResult, type CaseSources } from './run.ts';
export { PolicyTestError } from './test-error.ts';
