import { writeFile } from 'node:fs/promises';
import { migrationList } from './build/migrations.ts';

/** Recreates src/store/migrations/list.ts from its folder; a test holds that it is as this writes it. */
await writeFile(new URL('../src/store/migrations/list.ts', import.meta.url), await migrationList());
