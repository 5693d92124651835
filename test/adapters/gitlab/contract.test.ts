import { contractOf } from '../tracker-contract.ts';

for (const kind of ['gitlab'] as const) contractOf(kind);
