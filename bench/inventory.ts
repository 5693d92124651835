import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { NEW_AS_NEW } from '../src/app/programs/worker-entry.ts';

/** Line prints a figure beside what it must be. */
type Line = (name: string, figure: string, must: string) => void;

interface Measured {
  /** Milliseconds of a request, and the large one by the small one: medians of rounds that take turns. */
  readonly lists: Readonly<
    Record<string, { readonly few: number; readonly many: number; readonly ratio: number }>
  >;
  /** Bytes. */
  readonly held: number;
}

const FEW = 100;

/** benchInventory prints how requests for lists grow with the images, each with three hundred findings. */
export function benchInventory(directory: string, line: Line, images = 10_000): void {
  const args = [`sqlite:${join(directory, 'images-few.db')}`, String(FEW)];
  args.push(`sqlite:${join(directory, 'images-many.db')}`, String(images));
  const measure = join(import.meta.dirname, 'inventory-measure.ts');
  const child = spawnSync(process.execPath, ['--expose-gc', NEW_AS_NEW, measure, ...args], {
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(`measuring the lists failed: ${child.stderr}`);
  const { lists, held } = JSON.parse(child.stdout) as Measured;
  for (const [name, { few, many, ratio }] of Object.entries(lists))
    line(
      `${name}: ${images.toLocaleString('en-US')} images, of ${FEW}`,
      `${ratio.toFixed(2)} (${many.toFixed(1)} ms, ${few.toFixed(1)} ms)`,
      'at most 3',
    );
  line('  memory held between pages', `${(held / 2 ** 20).toFixed(1)} MB`, 'flat: at most 4 MB');
}
