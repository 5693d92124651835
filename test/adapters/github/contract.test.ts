import { contractOf } from '../tracker-contract.ts';

for (const kind of ['github', 'github-enterprise'] as const) contractOf(kind);
