import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { measureRoutes } from '../test/app/route-costs.ts';

/** Line prints a figure beside what it must be. */
type Line = (name: string, figure: string, must: string) => void;

const SHOWN = 5;

/** benchRoutes prints the calls of the API that hold its event loop up for longest, with 1,000,000 rows and 10,000 images. */
export async function benchRoutes(directory: string, line: Line, quick: boolean): Promise<void> {
  const folder = join(directory, 'routes');
  mkdirSync(folder);
  const { costs } = await measureRoutes(folder, quick ? 'small' : 'full');
  const dearest = costs.toSorted((a, b) => b.busy - a.busy).slice(0, SHOWN);
  for (const [place, { key, what, busy }] of dearest.entries())
    line(
      place === 0 ? `longest turn of the API's loop, ${costs.length} calls` : '',
      `${busy.toFixed(1)} ms`,
      `${place === 0 ? 'at most 20 ms; ' : ''}${key}, ${what}`,
    );
}
