/**
 * What could be asked of a cluster: each field of the policy tried by itself over recorded admissions (the matrix), and the
 * tightest policy that denies no more of them than is tolerated (the suggestion).
 * It uses `findings`, `policy`, `facts`, `decision`, `ledger`, `render` and `whatif`.
 */
export type { Population } from './population.ts';
export { openPopulation } from './population.service.ts';
export { matrixOf, type Matrix, type MatrixLine } from './matrix.ts';
export { suggest, type Suggestion } from './suggest.ts';
export { suggestionText, whyOf } from './suggestion-text.ts';
