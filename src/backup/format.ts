import { z } from 'zod';

/** BACKUP_FORMAT names the format in the first line of a backup. */
export const BACKUP_FORMAT = 'ipo.backup/1';

/** CELL_TYPES are what a column may hold; a blob is written as lower-case hex. */
const CELL_TYPES = ['text', 'integer', 'blob'] as const;

/** CellType is one of them. */
export type CellType = (typeof CELL_TYPES)[number];

const name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/);
const count = z.int().min(0);

const tableSchema = z.strictObject({
  name,
  /** In the order of the cells. */
  columns: z.record(name, z.enum(CELL_TYPES)),
});

/** headerSchema is the first line of a backup: what it is of, and which tables follow. */
export const headerSchema = z.object({
  type: z.literal('header'),
  format: z.literal(BACKUP_FORMAT),
  created_at: z.int(),
  /** Release of the program that wrote it. */
  program: z.string().max(100),
  engine: z.enum(['sqlite', 'postgres']),
  /** Id of the installation; null before the first start. */
  installation: z.string().max(100).nullable(),
  /** Names of the migrations that the database had gone through, in order, and the release of the last. */
  migrations: z.array(z.string().max(100)).min(1).max(10_000),
  release: z.string().max(100),
  ledger: z.object({
    rows: count,
    /** Newest signed checkpoint; null where nothing was signed. */
    checkpoint: z.string().max(1_048_576).nullable(),
    /** Key that checkpoints are verified with. */
    key: z.string().max(4096).nullable(),
  }),
  /** Credentials that open only with `DATA_KEY`, by channel. */
  credentials: z.array(z.object({ channel: z.string().max(1000), count })).max(100_000),
  tables: z.array(tableSchema).max(10_000),
});

/** BackupHeader is the first line of a backup. Times are UTC milliseconds. */
export type BackupHeader = Omit<z.output<typeof headerSchema>, 'type' | 'format'>;

/** BackupTable is a table of a backup. */
export type BackupTable = z.output<typeof tableSchema>;

export const tableLine = z.strictObject({
  type: z.literal('table'),
  name,
  /** The last number that the database counted for it; null where it counts none. */
  last_id: z.int().nullable(),
});

/** keysLine holds keys under a passphrase. */
export const keysLine = z.strictObject({
  type: z.literal('keys'),
  kdf: z.literal('scrypt'),
  n: z.int(),
  r: z.int(),
  p: z.int(),
  salt: z.base64().max(200),
  nonce: z.base64().max(200),
  sealed: z.base64().max(1_048_576),
});

const contents = z.strictObject({ name, rows: count, sha256: z.string().regex(/^[0-9a-f]{64}$/) });

export const endLine = z.strictObject({ type: z.literal('end'), tables: z.array(contents).max(10_000) });

/** TableContents says what a table holds: its rows, and the SHA-256 over their lines, the same whatever the engine. */
export type TableContents = z.output<typeof contents>;

/** What stands before the digest at the end of the file: a frame that zstd skips. */
const SKIPPED = Buffer.from([0x50, 0x2a, 0x4d, 0x18]);
const BEFORE = Buffer.from(`${BACKUP_FORMAT} sha256 `);
const DIGEST = 64;

/** FOOTER_BYTES is the length of what `footer` gives. */
export const FOOTER_BYTES = SKIPPED.length + 4 + BEFORE.length + DIGEST + 1;

/** footer ends a file: the SHA-256 (hex) of every byte before it, so that a change of any byte shows. */
export function footer(sha256: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(FOOTER_BYTES - SKIPPED.length - 4);
  return Buffer.concat([SKIPPED, length, BEFORE, Buffer.from(`${sha256}\n`)]);
}
