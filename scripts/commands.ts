import { writeFile } from 'node:fs/promises';
import { commandList } from './build/rooms.ts';

/** Recreates bin/commands.ts from the folders of bin; a test holds that it is as this writes it. */
await writeFile(new URL('../bin/commands.ts', import.meta.url), await commandList());
