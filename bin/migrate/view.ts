import type { PlannedMigration } from '../../src/app/index.ts';
import { formatTime } from '../../src/base/index.ts';
import { cutEnd } from '../../src/render/index.ts';
import { openPaint, type ViewOptions } from '../terminal/paint.ts';

/** Below this many columns the names give way: the number is enough to know a step by. */
const WIDE = 115;

/** renderMigrations draws steps of the history as a table, those that are due standing out. */
export async function renderMigrations(
  title: string,
  migrations: readonly PlannedMigration[],
  options: Pick<ViewOptions, 'color' | 'columns'>,
): Promise<string> {
  const paint = await openPaint(options);
  const { bold, dim, green, yellow } = paint.chalk;
  const named = paint.columns >= WIDE;
  const columns = [
    { heading: 'Number' },
    { heading: 'Release' },
    ...(named ? [{ heading: 'Migration' }] : []),
    { heading: 'What it does', flex: 1 },
    { heading: 'Applied' },
  ];
  const rows = migrations.map(({ name, release, summary, appliedAt }) => {
    const [number = '', ...subject] = name.split('-');
    const due = appliedAt === null;
    const text = due ? bold : dim;
    return [
      { text: number, paint: text },
      { text: release, paint: text },
      ...(named ? [{ text: subject.join('-'), paint: text }] : []),
      { text: summary, paint: due ? String : dim, cut: (max: number) => cutEnd(summary, max) },
      due ? { text: 'due', paint: yellow } : { text: formatTime(appliedAt).slice(0, 10), paint: green },
    ];
  });
  return `${[paint.heading(title), '', ...paint.table(columns, rows)].join('\n')}\n`;
}
