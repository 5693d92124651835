import { generateKeyPairSync } from 'node:crypto';
import { DAY_MS, formatTime, IpoError, randomLetters } from '../../src/base/index.ts';
import { issueCertificate } from '../../src/licence/index.ts';
import { toSigner, type NoteSigner } from '../../src/ledger/index.ts';
import { writeNew } from '../files/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseWhole } from '../terminal/numbers.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { openParts } from '../terminal/parts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { MAX_FILE, readRequest } from './of-file.ts';

/** LicenceKeygenOptions are the flags of `ipo licence keygen`. */
export interface LicenceKeygenOptions {
  readonly name: string;
  readonly out: string;
  readonly output: readonly string[];
}

/** LicenceIssueOptions are the flags of `ipo licence issue`. */
export interface LicenceIssueOptions {
  readonly key: string;
  readonly name: string;
  readonly request: string;
  readonly customer: string;
  readonly keyId: string;
  readonly nodes: string;
  readonly imageNames: string;
  readonly clusters: string;
  readonly days: string;
  readonly out?: string;
  readonly output: readonly string[];
}

/** runLicenceKeygen is `ipo licence keygen`. A file that is there is never written over. */
export async function runLicenceKeygen(
  { name, out, output }: LicenceKeygenOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(output, terminal);
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { vkey } = toSigner(name, pem);
  await writeNew(out, pem);
  await outcome.write({ name, public_key: vkey, file: out }, `${vkey}\n`);
  return EXIT.done;
}

/** runLicenceIssue is `ipo licence issue`. */
export async function runLicenceIssue(options: LicenceIssueOptions, terminal: Terminal): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const parts = openParts(terminal);
  const signer = await readSigner(options, terminal);
  const request = await readRequest(options.request, terminal);
  const days = parseWhole('--days', options.days, 0, 36_500, 'the number of days');
  const now = parts.clock.now();
  const body = {
    id: randomLetters(16),
    customer: options.customer,
    key_id: options.keyId,
    cluster_id: request.cluster_id,
    ceiling: {
      nodes: ceiling('--nodes', options.nodes),
      image_names: ceiling('--image-names', options.imageNames),
      clusters: ceiling('--clusters', options.clusters),
    },
    issued_at: formatTime(now),
    not_after: days === 0 ? null : formatTime(now + days * DAY_MS),
    request_id: request.request_id,
  };
  const certificate = issueCertificate(body, signer);
  if (options.out !== undefined) await parts.writeFile(options.out, certificate);
  await outcome.write({ ...body, certificate }, options.out === undefined ? certificate : '');
  return EXIT.done;
}

async function readSigner({ key, name }: LicenceIssueOptions, terminal: Terminal): Promise<NoteSigner> {
  const pem = await openParts(terminal).readText(key, MAX_FILE);
  try {
    return toSigner(name, pem);
  } catch (cause) {
    throw new IpoError('invalid_request', 'holds no private Ed25519 key in PKCS#8 PEM', {
      place: { file: key },
      hint: 'Give the file that ipo licence keygen made',
      cause,
    });
  }
}

function ceiling(flag: string, text: string): number | null {
  return text === 'none' ? null : parseWhole(flag, text, 0, 1_000_000_000, 'the ceiling', 'none');
}
