import { writeFile } from 'node:fs/promises';
import { commandList } from './build/rooms.ts';

/** Writes bin/commands.ts anew from the folders of bin; a test holds that it is as this writes it. */
await writeFile(new URL('../bin/commands.ts', import.meta.url), await commandList());
