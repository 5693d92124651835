/**
 * Tests of policies: files of cases, what each case gives and expects, whether the policies answer so, and which gates
 * no case has reached.
 * It uses `image`, `policy`, `facts`, `decision`, `manifests`, `scan` and `checks`.
 */
export { coverageOf, type PolicyCoverage } from './coverage.ts';
export { parseTests, TEST_ENDINGS, type TestCase } from './document.ts';
export { recordCase } from './record.ts';
export { runCase, type CaseResult, type CaseSources } from './run.ts';
