import { formatTime, refreshCall } from '../../base/index.ts';
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
  dockerConfig,
  fromOf,
  NO_CREDENTIALS,
  openWorkDirectory,
  ProgramError,
  runProgram,
  secretsOf,
  type Ended,
  type ScannerRun,
} from '../program/index.ts';
import type { Outbound } from '../transport/index.ts';
import { parseJson } from './not-a-report.ts';
import { MAX_REPORT_BYTES } from './report.ts';
import { openCaches, type TrivyCaches } from './run-caches.ts';
import { toFault } from './run-faults.ts';
import { checkPlainHttp, giveTrust } from './run-places.ts';
import { serverState } from './run-server.ts';
import { readVersion, reportedDatabase, type TrivyVersion } from './run-version.ts';
import { readScanReports } from './scan-reports.ts';

/** TrivyOptions say how Trivy is run. */
export interface TrivyOptions {
  /** A path, or a name in the PATH. */
  readonly program: string;
  /** Holds the database and what Trivy remembers of layers; nobody else may use it. */
  readonly directory: string;
  /** Scans at once, at most. */
  readonly atOnce: number;
  /** Milliseconds for one scan. */
  readonly timeoutMs: number;
  /** Milliseconds beyond that for Trivy to say so by itself, before it is killed; 30,000 unless said. */
  readonly slackMs?: number;
  /** A server of Trivy that looks the packages up; null: this machine does, with a database of its own. */
  readonly server: { readonly url: string; readonly token: string | null } | null;
  /** `linux/amd64`; which image of an index is scanned. */
  readonly platform: string;
  /** Whether the databases are downloaded here, or put into the directory by somebody else. */
  readonly update: boolean;
  /** Where they are downloaded from (`ghcr.io/aquasecurity/trivy-db:2`); null: where Trivy looks by itself. */
  readonly databases: { readonly vulnerabilities: string | null; readonly java: string | null };
  /** Bytes of memory that a scan should keep within; null for no bound. */
  readonly memory: number | null;
  /** Our environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How its server is asked; directly, or by a proxy that the environment names, unless given. */
  readonly outbound?: Outbound | undefined;
}

/** What a download may take. */
const REFRESH_MS = 10 * 60_000;
const SLACK_MS = 30_000;
const ASK_MS = 30_000;
/** What the answer of a program that is asked for its version may hold. */
const MAX_ANSWER = 1_048_576;

/**
 * openTrivy runs the program `trivy` on images by their digest. A report counts only where the program ended well and its output is whole;
 * nothing of our environment or of a file beside it can leave findings out. Makes the directory, and clears what a crash left there.
 */
export async function openTrivy(options: TrivyOptions): Promise<Scanner> {
  const caches = await openCaches(options.directory, options.atOnce);
  const work = await openWorkDirectory(caches.work);
  const trivy = new Trivy(options, caches, work);
  return trivy;
}

class Trivy implements Scanner {
  readonly name = 'trivy';
  readonly #options: TrivyOptions;
  readonly #caches: TrivyCaches;
  readonly #work: Awaited<ReturnType<typeof openWorkDirectory>>;
  /** As it said last; asked again with each refresh. */
  #version: string | null = null;

  constructor(
    options: TrivyOptions,
    caches: TrivyCaches,
    work: Awaited<ReturnType<typeof openWorkDirectory>>,
  ) {
    this.#options = options;
    this.#caches = caches;
    this.#work = work;
  }

  async scan(order: ScanOrder): Promise<ScanReport> {
    const { reference, credential, platform: of, signal } = order;
    const { timeoutMs, slackMs = SLACK_MS, server } = this.#options;
    const from = fromOf(order);
    checkPlainHttp(from, server);
    const platform = of ?? this.#options.platform;
    const before = await this.#current(signal);
    if (before.updatedAt === null)
      throw new ScannerError('scanner', 'no vulnerability database has been downloaded yet', {
        hint: `It is downloaded every 6 hours; to download it now: ${refreshCall()}`,
      });
    const image = `${from.host}/${from.path}@${reference.digest}`;
    const file = `trivy ${image}`;
    const value = await this.#caches.within(async (cache) => {
      const args = [
        ...[
          'image',
          '--quiet',
          '--no-progress',
          '--format',
          'json',
          '--scanners',
          'vuln',
          '--image-src',
          'remote',
        ],
        ...['--platform', platform, '--timeout', `${Math.ceil(timeoutMs / 1000)}s`, '--cache-dir', cache],
        ...(server === null ? ['--skip-db-update'] : ['--server', server.url]),
        // Its only way to plain HTTP, which has no certificate that could be looked at.
        ...(from.plainHttp ? ['--insecure'] : []),
        ...['--skip-java-db-update', image],
      ];
      const { output } = await this.#run(args, {
        timeoutMs: timeoutMs + slackMs,
        maxBytes: MAX_REPORT_BYTES,
        signal,
        secrets: secretsOf(credential),
        config: credential === null ? null : dockerConfig(from, credential),
        authorities: from.plainHttp ? null : from.authorities,
      });
      return parseJson(output.toString('utf8'), file);
    });
    const [report, ...more] = readScanReports(value, file);
    if (report === undefined || more.length > 0)
      throw new ScannerError('report', 'trivy wrote no report of one image');
    if (report.type !== IMAGE_TYPE)
      throw new ScannerError(
        'report',
        `trivy wrote a report of something else than an image (${report.type})`,
      );
    return {
      ...asReferred(report, order, from),
      scan: { ...report.scan, scanner: await this.#scanner(value, report, before, signal) },
    };
  }

  /** The versions of the record. Where the database changed meanwhile, the older one may have been asked. */
  async #scanner(
    value: unknown,
    report: ScanReport,
    before: DatabaseState,
    signal: AbortSignal,
  ): Promise<NonNullable<ScanReport['scan']['scanner']>> {
    const told = reportedDatabase(value);
    const after = told === null ? (await this.#current(signal)).updatedAt : told;
    const at = Math.min(before.updatedAt ?? Infinity, after ?? Infinity);
    return {
      name: this.name,
      version: report.scan.scanner?.version || before.version,
      dbUpdatedAt: Number.isFinite(at) ? formatTime(at) : null,
    };
  }

  async state(signal: AbortSignal): Promise<DatabaseState> {
    return this.#database(signal);
  }

  async refresh(signal: AbortSignal): Promise<DatabaseState> {
    const { server, update, databases } = this.#options;
    const from = (flag: string, repository: string | null): string[] =>
      repository === null ? [] : [flag, repository];
    const cache = ['--cache-dir', this.#caches.root];
    const bounds = { timeoutMs: REFRESH_MS, maxBytes: MAX_ANSWER, signal, secrets: [], config: null };
    if (update) {
      if (server === null)
        await this.#run(
          [
            ...['image', '--quiet', '--no-progress', '--download-db-only', ...cache],
            ...from('--db-repository', databases.vulnerabilities),
          ],
          bounds,
        );
      // What is in an archive of Java is looked up here, also where a server looks up the rest.
      await this.#run(
        [
          ...['image', '--quiet', '--no-progress', '--download-java-db-only', ...cache],
          ...from('--java-db-repository', databases.java),
        ],
        bounds,
      );
    }
    await this.#caches.tidy();
    return this.#database(signal);
  }

  /** The same without starting the program, where its database says by itself when it was made. */
  async #current(signal: AbortSignal): Promise<TrivyVersion> {
    if (this.#options.server === null && this.#version !== null) {
      const updatedAt = await this.#caches.madeAt();
      if (updatedAt !== null) return { version: this.#version, updatedAt };
    }
    return this.#database(signal);
  }

  /** The program's version, with the database of this machine; or what the server says of itself. */
  async #database(signal: AbortSignal): Promise<TrivyVersion> {
    const { server, env, outbound } = this.#options;
    if (server !== null) return serverState(server.url, env, signal, outbound);
    const { output } = await this.#run(['version', '--format', 'json', '--cache-dir', this.#caches.root], {
      timeoutMs: ASK_MS,
      maxBytes: MAX_ANSWER,
      signal,
      secrets: [],
      config: null,
    });
    const said = readVersion(output.toString('utf8'));
    this.#version = said.version;
    return said;
  }

  /** Of the program that runs here, also where a server looks vulnerabilities up. */
  async #ownVersion(signal: AbortSignal): Promise<string> {
    if (this.#version === null) {
      const args = ['version', '--format', 'json', '--cache-dir', this.#caches.root];
      const bounds = { timeoutMs: ASK_MS, maxBytes: MAX_ANSWER, signal, secrets: [], config: null };
      this.#version = readVersion((await this.#run(args, bounds)).output.toString('utf8')).version;
    }
    return this.#version;
  }

  async #run(
    [command = '', ...args]: readonly string[],
    { secrets, config, authorities = null, ...bounds }: ScannerRun,
  ): Promise<Ended> {
    const { program, server, memory, env } = this.#options;
    const token = server?.token ?? null;
    const version = authorities === null ? '' : await this.#ownVersion(bounds.signal);
    try {
      return await this.#work.within(async (cwd, keep) => {
        const trust = await giveTrust(authorities, version, env, keep);
        return runProgram({
          program,
          args: [command, ...trust.flags, ...args],
          cwd,
          ...bounds,
          env: {
            ...childEnvironment(env),
            TMPDIR: cwd,
            // Nobody is told of a scan, nor asked for another version.
            TRIVY_DISABLE_TELEMETRY: 'true',
            TRIVY_SKIP_VERSION_CHECK: 'true',
            ...(memory !== null && { GOMEMLIMIT: `${memory}B` }),
            ...(token !== null && { TRIVY_TOKEN: token }),
            // Never ours: it can name programs that Trivy would run.
            DOCKER_CONFIG: await keep('config.json', config ?? NO_CREDENTIALS),
            ...trust.env,
          },
        });
      });
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      throw toFault(error, program, [...secrets, ...(token === null ? [] : [token])]);
    }
  }
}
