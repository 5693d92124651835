import { readFileSync, writeFileSync } from 'node:fs';
import { withEventGuide } from '../src/notify/index.ts';

/** Writes the events into docs/notifications.md; a test holds the two equal. */
const file = new URL('../docs/notifications.md', import.meta.url);
writeFileSync(file, withEventGuide(readFileSync(file, 'utf8')));
