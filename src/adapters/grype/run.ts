import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import * as z from 'zod/mini';
import { formatTime, parseTime, printable, parseStrictJson, refreshCall } from '../../base/index.ts';
import {
  IMAGE_TYPE,
  type DatabaseState,
  type Scanner,
  ScannerError,
  type ScanOrder,
  type ScanReport,
} from '../../scan/index.ts';
import {
  asReferred,
  childEnvironment,
  crashReasonIn,
  dockerConfig,
  fromOf,
  NO_CREDENTIALS,
  openWorkDirectory,
  ProgramError,
  registryReasonIn,
  runProgram,
  secretsOf,
  type WorkDirectory,
  scannerFault,
  type ScannerRun,
  withSystemAuthorities,
} from '../program/index.ts';
import { parseGrypeReport } from './report.ts';

/** GrypeOptions say how Grype is run. */
export interface GrypeOptions {
  /** A path, or a name in the PATH. */
  readonly program: string;
  /** Holds the database; nobody else may use it. */
  readonly directory: string;
  /** Milliseconds for one scan. */
  readonly timeoutMs: number;
  /** `linux/amd64`; which image of an index is scanned. */
  readonly platform: string;
  /** Whether the database is downloaded here, or put into the directory by somebody else. */
  readonly update: boolean;
  /** Bytes of memory that a scan should keep within; null for no bound. */
  readonly memory: number | null;
  /** Our environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const AUTHORITIES = 'authorities.pem';
const REFRESH_MS = 10 * 60_000;
const ASK_MS = 60_000;
const MAX_REPORT_BYTES = 64 * 1_048_576;
const MAX_ANSWER = 1_048_576;

const status = z.object({
  built: z.nullish(z.string()),
  schemaVersion: z.unknown(),
  valid: z.nullish(z.boolean()),
});
const version = z.object({ version: z.nullish(z.string()) });

/** openGrype runs the program `grype` on images by their digest, as openTrivy does. */
export async function openGrype(options: GrypeOptions): Promise<Scanner> {
  await mkdir(join(options.directory, 'db'), { recursive: true, mode: 0o700 });
  return new Grype(options, await openWorkDirectory(join(options.directory, 'work')));
}

class Grype implements Scanner {
  readonly name = 'grype';
  readonly #options: GrypeOptions;
  readonly #work: WorkDirectory;
  #version: string | null = null;

  constructor(options: GrypeOptions, work: WorkDirectory) {
    this.#options = options;
    this.#work = work;
  }

  async scan(order: ScanOrder): Promise<ScanReport> {
    const { reference, credential, platform: of, signal } = order;
    const from = fromOf(order);
    const { timeoutMs } = this.#options;
    const platform = of ?? this.#options.platform;
    const before = await this.state(signal);
    if (before.updatedAt === null)
      throw new ScannerError('scanner', 'no vulnerability database has been downloaded yet', {
        hint: `It is downloaded every 6 hours; to download it now: ${refreshCall()}`,
      });
    const image = `${from.host}/${from.path}@${reference.digest}`;
    const text = await this.#run(
      [`registry:${image}`, '--output', 'json', '--quiet', '--platform', platform],
      {
        timeoutMs,
        maxBytes: MAX_REPORT_BYTES,
        signal,
        secrets: secretsOf(credential),
        config: credential === null ? null : dockerConfig(from, credential),
        authorities: from.authorities,
      },
      from.plainHttp ? { GRYPE_REGISTRY_INSECURE_USE_HTTP: 'true' } : {},
    );
    const report = parseGrypeReport(text, `grype ${image}`);
    if (report.type !== IMAGE_TYPE)
      throw new ScannerError(
        'report',
        `grype wrote a report of something else than an image (${report.type})`,
      );
    const { scan } = report;
    const dbUpdatedAt = scan.scanner?.dbUpdatedAt ?? formatTime(before.updatedAt);
    return {
      ...asReferred(report, order, from),
      scan: {
        ...scan,
        scanner: { name: this.name, version: scan.scanner?.version || before.version, dbUpdatedAt },
      },
    };
  }

  async state(signal: AbortSignal): Promise<DatabaseState> {
    const ask = { timeoutMs: ASK_MS, maxBytes: MAX_ANSWER, signal, secrets: [], config: null };
    this.#version ??= read(version, await this.#run(['version', '--output', 'json'], ask))?.version ?? null;
    // Where there is no database, this ends with status 1.
    const text = await this.#run(['db', 'status', '--output', 'json'], ask).catch((error: unknown) => {
      if (error instanceof ScannerError && error.fault === 'failed') return '';
      throw error;
    });
    const { built, valid } = read(status, text) ?? {};
    const at = built && valid !== false && !built.startsWith('0001-01-01') ? parseTime(built) : NaN;
    return { version: this.#version ?? '', updatedAt: Number.isNaN(at) ? null : Math.floor(at) };
  }

  async refresh(signal: AbortSignal): Promise<DatabaseState> {
    this.#version = null;
    if (this.#options.update)
      await this.#run(['db', 'update'], {
        timeoutMs: REFRESH_MS,
        maxBytes: MAX_ANSWER,
        signal,
        secrets: [],
        config: null,
      });
    return this.state(signal);
  }

  async #run(
    args: readonly string[],
    { secrets, config, authorities = null, ...bounds }: ScannerRun,
    more: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const { program, directory, memory, env } = this.#options;
    const given = childEnvironment(env);
    try {
      return await this.#work.within(async (cwd, keep) => {
        // Never ours: it can name programs that Grype would run.
        const docker = await keep('config.json', config ?? NO_CREDENTIALS);
        const trusted =
          authorities === null
            ? null
            : join(await keep(AUTHORITIES, await withSystemAuthorities(authorities, env)), AUTHORITIES);
        const { output } = await runProgram({
          program,
          args,
          cwd,
          ...bounds,
          env: {
            ...given,
            // Rules of a person, which leave findings out, lie at home.
            HOME: cwd,
            XDG_CONFIG_HOME: cwd,
            XDG_CACHE_HOME: cwd,
            TMPDIR: cwd,
            GRYPE_DB_CACHE_DIR: join(directory, 'db'),
            GRYPE_DB_AUTO_UPDATE: 'false',
            // How old it is stands on each record, and health tells it.
            GRYPE_DB_VALIDATE_AGE: 'false',
            GRYPE_CHECK_FOR_APP_UPDATE: 'false',
            ...(memory !== null && { GOMEMLIMIT: `${memory}B` }),
            DOCKER_CONFIG: docker,
            // Versions before it had a name of its own for them take those that Go does.
            ...(trusted !== null && { GRYPE_REGISTRY_CA_CERT: trusted, SSL_CERT_FILE: trusted }),
            ...more,
          },
        });
        return output.toString('utf8');
      });
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      throw toFault(error, program, secrets);
    }
  }
}

function read<T extends z.ZodMiniType>(schema: T, text: string): z.infer<T> | null {
  try {
    const result = schema.safeParse(parseStrictJson(text));
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}

function toFault(error: ProgramError, program: string, secrets: readonly string[]): ScannerError {
  let said = error.said;
  for (const secret of secrets) if (secret !== '') said = said.replaceAll(secret, '[redacted]');
  const line = said.split('\n').findLast((one) => one.trim() !== '') ?? '';
  return scannerFault(error, {
    product: 'Grype',
    program,
    said: line === '' ? '' : said,
    failed(cause) {
      const own = SCANNER.test(said) ? 'scanner' : 'failed';
      const fault = IMAGE.test(said) ? 'image' : own;
      const words = line === '' ? error.message : printable(line.trim(), 400);
      return new ScannerError(fault, `grype failed: ${words}`, {
        cause,
        ...(fault === 'image' && { reason: registryReasonIn(said) }),
        ...(fault === 'failed' && { reason: crashReasonIn(said, error.message) }),
      });
    },
  });
}

/** What it says of one image. It comes first, since the builder of the image chose the words. */
const IMAGE =
  /failed to catalog|could not fetch image|unable to (?:get|load|parse) image|errors occurred attempting to resolve/i;
/** What it says where no other image would fare better. */
const SCANNER =
  /vulnerability database|failed to load vulnerability db|no space left on device|unknown flag/i;
