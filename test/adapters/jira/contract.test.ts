import { contractOf } from '../tracker-contract.ts';

for (const kind of ['jira-cloud', 'jira-gateway', 'jira-datacenter'] as const) contractOf(kind);
