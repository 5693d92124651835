import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../../../shared/data/falco');

/** Why the real events cannot be read here, or false. */
export const noRealEvents = existsSync(FOLDER) ? false : `no ${FOLDER}`;

/** realLines gives every real event, a line each. */
export function realLines(): readonly string[] {
  return ['events.jsonl', 'events-more.jsonl'].flatMap((file) =>
    readFileSync(join(FOLDER, file), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== ''),
  );
}
