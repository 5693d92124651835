/** Where the parts are joined, for the command line and for tests. */
export { buildCli, type CliParts } from './build.ts';
export type { TrivyReport } from '../adapters/trivy/index.ts';
