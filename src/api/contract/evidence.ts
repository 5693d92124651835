import { z } from 'zod';
import { FRAMEWORK_IDS, MAX_STATEMENT, PACKAGE_ID, PACKAGE_STATES, STAGES } from '../../evidence/index.ts';
import { moment } from './moment.ts';
import { listOf } from './paging.ts';

const time = z.string().describe('RFC 3339, UTC');
const count = z.int().min(0);
const id = z.string().regex(PACKAGE_ID, { error: 'is not an ID of 16 letters and digits, as lists show it' });
const names = (about: string) => z.array(z.string().min(1).max(253)).max(1000).optional().describe(about);

/** evidenceBody is what a package is asked with. Periods and frameworks are the domain's to check, so that its sentences are told. */
export const evidenceBody = z
  .strictObject({
    from: moment.meta({ description: 'Begin of the period (RFC 3339); it belongs to it' }),
    to: moment.meta({ description: 'End of the period (RFC 3339), at or before now; it belongs to it' }),
    frameworks: z
      .array(z.string().min(1).max(100))
      .max(100)
      .optional()
      .describe(
        `Frameworks, of ${FRAMEWORK_IDS.join(', ')}; those of the settings where none is named, else all`,
      ),
    clusters: names('Count only these clusters; all where none is named'),
    namespaces: names('Count only these namespaces; all where none is named'),
    include_runtime_raw: z
      .boolean({ error: 'must be true or false' })
      .optional()
      .describe('Whether the newest runtime events stand in the package as they are stored, 5000 at most'),
  })
  .meta({ id: 'EvidenceRequest' });

/** packagePath is the parameter of the path of a package. */
export const packagePath = z.strictObject({ id: id.describe('Id of the package') });

const states = z.object({ met: count, partial: count, gap: count });
const summary = z
  .object({
    id: z.string().describe('Id that the package itself prints'),
    made_at: time,
    period: z.object({ from: time, to: time }),
    organisation: z.string().nullable(),
    key_id: z.string().describe('Key that signed it'),
    rows: count,
    rows_in_period: count.optional().describe('Rows of the period; absent in packages of earlier releases'),
    rows_left_out: count
      .optional()
      .describe(
        'Rows of the period of another cluster or namespace than requested; absent in packages of earlier releases',
      ),
    signed: count,
    states,
    frameworks: z.array(
      states.extend({ id: z.string(), name: z.string(), out_of_scope: count, requirements: count }),
    ),
    attestations: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        state: z.enum(['met', 'partial', 'gap']),
        because: z.string(),
        population: count,
        passed: count,
        failed: count,
      }),
    ),
    limits: z.array(
      z.object({
        section: z.string(),
        shown: count.nullable(),
        total: count.nullable(),
        why: z.string(),
      }),
    ),
  })
  .describe('What it comes to');

/** packageSchema is an evidence package of the service. */
const packageSchema = z
  .object({
    id: z.string(),
    state: z.enum(PACKAGE_STATES),
    progress: z.object({
      stage: z.enum(STAGES).nullable().describe('What is done now; null before it began'),
      rows: count.describe('Rows of the ledger that this stage has read'),
      total: count.nullable().describe('Rows of the period; null before they were counted'),
    }),
    request: z.object({
      from: time,
      to: time,
      frameworks: z.array(z.string()),
      clusters: z.array(z.string()),
      namespaces: z.array(z.string()),
      include_runtime_raw: z.boolean(),
    }),
    requested_by: z.string().describe('`user:<account_id>`'),
    requested_by_name: z
      .string()
      .nullable()
      .describe('Name or address of the account; null once it is anonymised'),
    created_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
    error: z.string().nullable().describe('Why it failed'),
    bytes: count.nullable(),
    sha256: z.string().nullable().describe('Hex SHA-256 of the archive'),
    states: states.nullable().describe('Attestations by state; null until it is done'),
    kept_until: time.nullable().describe('When it is deleted; null for never, and while it is made'),
  })
  .meta({ id: 'EvidencePackage' });

/** PackageBody is a package as the API answers it. */
export type PackageBody = z.infer<typeof packageSchema>;

/** packagesSchema is a list of them, the newest first. */
export const packagesSchema = listOf(packageSchema).meta({ id: 'EvidencePackages' });
export type PackagesBody = z.infer<typeof packagesSchema>;

/** onePackageSchema is a package with what it comes to. */
export const onePackageSchema = packageSchema
  .extend({ summary: summary.nullable() })
  .meta({ id: 'EvidencePackageSummary' });
export type OnePackageBody = z.infer<typeof onePackageSchema>;

/** keysQuery says in which form keys are given. */
export const keysQuery = z.strictObject({
  format: z
    .enum(['json', 'pem'], { error: 'format must be json or pem' })
    .optional()
    .describe('`pem` gives only the current key'),
});

/** keysSchema are the public keys that have signed packages. */
export const keysSchema = z
  .object({
    keys: z.array(
      z.object({
        id: z.string().describe('SHA-256 of the key in DER, hex'),
        pem: z.string(),
        from: time.describe('When it began to sign'),
        to: time.nullable().describe('When it ended to sign; null for the current one'),
      }),
    ),
  })
  .meta({ id: 'EvidenceKeys' });
export type KeysBody = z.infer<typeof keysSchema>;

/** declarationBody is what a declaration is made with. */
export const declarationBody = z
  .strictObject({
    statement: z
      .string()
      .max(MAX_STATEMENT, { error: `must have at most ${MAX_STATEMENT} characters` })
      .refine((text) => text.trim() !== '', { error: 'must not be empty' })
      .describe('What the organisation says of itself, as packages print it'),
    valid_until: moment
      .meta({ description: 'When it ends (RFC 3339); never where it is left out' })
      .optional(),
  })
  .meta({ id: 'NewDeclaration' });

/** declarationPath is the parameter of the path of a declaration. */
export const declarationPath = z.strictObject({ id: id.describe('Id of the declaration') });

/** declarationSchema is what the organisation says of itself. */
export const declarationSchema = z
  .object({
    id: z.string(),
    statement: z.string(),
    declared_by: z.string().describe('`user:<account_id>`'),
    declared_at: time,
    valid_until: time.nullable(),
  })
  .meta({ id: 'Declaration' });
export type DeclarationBody = z.infer<typeof declarationSchema>;

/** declarationsSchema is a list of them. */
export const declarationsSchema = listOf(declarationSchema).meta({ id: 'Declarations' });
export type DeclarationsBody = z.infer<typeof declarationsSchema>;
