import { insertMany } from '../../src/store/sql/dialect.ts';
import { BEGIN, type World } from './world.ts';

/** fill makes so many open rows, each with an issue of its own, whose findings are all still there. */
export async function fill(world: World, rows: number): Promise<void> {
  const perImage = 10;
  const images = Array.from({ length: rows / perImage }, (_, image) => image + 1);
  const digest = (image: number): string => `sha256:${image.toString(16).padStart(64, '0')}`;
  const cves = Array.from({ length: perImage }, (_, index) => `CVE-2026-${index}`);
  await world.store.write(async (transaction) => {
    await insertMany(
      transaction,
      'scans',
      {
        id: 'integer',
        digest: 'text',
        scanner: 'text',
        recorded_at: 'integer',
        complete: 'integer',
        current: 'integer',
      },
      images.map((image) => [image, digest(image), 'trivy', BEGIN, 1, 1]),
    );
    await insertMany(
      transaction,
      'findings',
      {
        scan_id: 'integer',
        ordinal: 'integer',
        cve: 'text',
        severity: 'text',
        rank: 'integer',
        package: 'text',
        installed: 'text',
      },
      images.flatMap((image) =>
        cves.map((cve, place) => [image, place, cve, 'CRITICAL', 4, 'openssl', '1.0']),
      ),
    );
    await insertMany(
      transaction,
      'running_images',
      {
        digest: 'text',
        cluster: 'text',
        namespace: 'text',
        workload: 'text',
        first_seen_at: 'integer',
        last_seen_at: 'integer',
      },
      images.map((image) => [digest(image), 'prod', 'shop', `deployment/app-${image}`, BEGIN, BEGIN]),
    );
    await insertMany(
      transaction,
      'tracking',
      {
        kind: 'text',
        digest: 'text',
        cve: 'text',
        channel_id: 'text',
        channel_kind: 'text',
        clusters: 'text',
        state: 'text',
        claimed_at: 'integer',
        opened_at: 'integer',
        marker: 'text',
        issue_key: 'text',
        issue_url: 'text',
        issue_id: 'text',
        found_scanner: 'text',
      },
      images.flatMap((image) =>
        cves.map((cve, place) => {
          const key = `team/shop#${image * perImage + place}`;
          const issue = [`ipo-1-${key}`, key, `https://tracker.example/${key}`, key];
          return [
            'finding',
            digest(image),
            cve,
            'main',
            'github',
            '["prod"]',
            'open',
            BEGIN,
            BEGIN,
            ...issue,
            'trivy',
          ];
        }),
      ),
    );
  });
}
