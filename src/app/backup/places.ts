import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readBounded } from '../../adapters/files/index.ts';
import type { BackupKey } from '../../backup/index.ts';
import type { Secret } from '../../base/index.ts';
import { parseKept, type KeptCheckpoint } from '../../ledger/index.ts';
import { Redactor } from '../../telemetry/index.ts';
import { loadConfig } from '../config/config.ts';
import type { Settings } from '../config/settings.ts';
import { openAnchors } from '../ledger/anchors.ts';
import { placesOf } from '../running/data-directory.ts';

/** PlacesFlags name a service by its settings or its directory. */
export interface PlacesFlags {
  readonly config?: string | undefined;
  readonly data?: string | undefined;
}

/** BackupPlaces are where a service keeps what a backup is made of. */
export interface BackupPlaces {
  readonly database: string;
  readonly keyFile: string;
  readonly evidenceKeyFile: string;
  /** Held by a service at work; null where it has no directory. */
  readonly lockFile: string | null;
  /** Directory that belongs to the database; null where there is none. */
  readonly data: string | null;
  readonly spool: string;
  readonly dataKey: Secret | null;
  readonly cluster: Settings['cluster'];
  /** How the service reaches registries. */
  readonly reach: Pick<Settings, 'registries' | 'outbound'>;
  /** `trackers.allowedHosts`; none is any. */
  readonly allowedHosts: readonly string[];
  /** Reads what each anchor holds. Throws what keeps one from being read. */
  anchored(): Promise<readonly KeptCheckpoint[]>;
}

/** backupPlaces reads the settings of a service and gives its places. Throws ConfigError, FileError. */
export async function backupPlaces(
  { config, data }: PlacesFlags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<BackupPlaces> {
  const { settings } = await loadConfig({
    file: config ?? null,
    env,
    ...(data !== undefined && { flags: [{ path: 'data', flag: '--data', value: data }] }),
  });
  const places = placesOf(settings);
  return {
    database: places.databaseUrl,
    keyFile: places.keyFile,
    evidenceKeyFile: places.evidenceKeyFile,
    lockFile: places.lockFile,
    data: settings.data === undefined ? null : resolve(settings.data),
    spool: places.spoolDirectory,
    dataKey: settings.dataKey ?? null,
    cluster: settings.cluster,
    reach: settings,
    allowedHosts: settings.trackers.allowedHosts,
    anchored: async () => {
      const anchors = await openAnchors(settings, new Redactor());
      const held = await Promise.all(
        anchors.map(async ({ name, read }) => ({ name, kept: read === null ? null : await read() })),
      );
      return held.flatMap(({ name, kept }) =>
        (kept?.notes ?? []).flatMap((note) => parseKept(note, `the anchor ${name}`)),
      );
    },
  };
}

/** readEvidenceKey reads the key that signs evidence packages; null where none was made yet. Throws FileError. */
export async function readEvidenceKey(file: string): Promise<BackupKey | null> {
  return existsSync(file) ? { name: 'evidence_key', value: await readBounded(file, 16_384) } : null;
}

/** readLedgerKey reads the key that signs checkpoints, as a backup takes it along. Throws FileError. */
export async function readLedgerKey(file: string): Promise<BackupKey> {
  return { name: 'ledger_key', value: await readBounded(file, 16_384) };
}
