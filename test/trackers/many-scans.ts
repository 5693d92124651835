import { insertMany } from '../../src/store/sql/dialect.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { digestOf } from '../store/image-records.ts';
import { BEGIN } from './world.ts';

/** ManyFinding is a critical finding that each of many images has. */
export interface ManyFinding {
  readonly cve: string;
  readonly package: string;
}

/** scanMany writes scans of so many images, each with the same critical findings, as fast as rows can be written. */
export async function scanMany(
  store: Store,
  images: number,
  findings: readonly ManyFinding[],
): Promise<void> {
  const all = Array.from({ length: images }, (_, at) => at + 1);
  await store.write(async (transaction) => {
    const scan = { id: 'integer', digest: 'text', scanner: 'text', recorded_at: 'integer' } as const;
    await insertMany(
      transaction,
      'scans',
      { ...scan, complete: 'integer', current: 'integer' },
      all.map((at) => [at, digestOf(at), 'trivy', BEGIN, 1, 1]),
    );
    const found = { scan_id: 'integer', ordinal: 'integer', cve: 'text', severity: 'text' } as const;
    await insertMany(
      transaction,
      'findings',
      { ...found, rank: 'integer', package: 'text', installed: 'text' },
      all.flatMap((at) =>
        findings.map((one, place) => [at, place, one.cve, 'CRITICAL', 4, one.package, '1.0']),
      ),
    );
  });
}
