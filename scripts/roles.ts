import { writeFileSync } from 'node:fs';
import { rolesTable } from '../src/accounts/index.ts';

/** Writes docs/roles.md from the table of access; a test holds the two equal. */
writeFileSync(new URL('../docs/roles.md', import.meta.url), rolesTable());
