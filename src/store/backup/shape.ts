import type { BackupTable, CellType } from '../../backup/index.ts';
import { schemaAt } from '../engine/schema-check.ts';
import { MIGRATIONS } from '../migrations/index.ts';

/** TableShape is a table as it is saved: its columns with their types, and those of its key, by which its rows are put in order. */
export interface TableShape extends BackupTable {
  readonly key: readonly string[];
}

/** newestMigration is the last of this program. */
export const newestMigration = MIGRATIONS.at(-1)?.name ?? '';

/** tablesAt gives the tables after so many migrations, each behind those that it refers to. Whatever else stands in a database is not ours. */
export async function tablesAt(level: number): Promise<readonly TableShape[]> {
  const parts = await schemaAt(MIGRATIONS, level);
  const shapes = new Map<string, TableShape>();
  for (const [name, own] of [...Map.groupBy(parts, ({ table }) => table)].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    const columns: Record<string, CellType> = {};
    for (const { part, is } of own)
      if (part.startsWith('column ')) columns[part.slice(7)] = is.replace('!', '') as CellType;
    const key = own.find(({ part }) => part === 'key')?.is.split(', ') ?? Object.keys(columns);
    shapes.set(name, { name, columns, key });
  }
  const owners = Map.groupBy(
    parts.filter(({ part }) => part.startsWith('reference ')),
    ({ table }) => table,
  );
  const sorted = new Set<TableShape>();
  const add = (shape: TableShape): void => {
    if (sorted.has(shape)) return;
    for (const { is } of owners.get(shape.name) ?? []) {
      const owner = shapes.get(is.slice(0, is.indexOf('.')));
      if (owner !== undefined && owner !== shape) add(owner);
    }
    sorted.add(shape);
  };
  for (const shape of shapes.values()) add(shape);
  return [...sorted];
}
