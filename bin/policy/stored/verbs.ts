import type {
  RevisionBody,
  RevisionSummaryBody,
  StoredPolicyBody,
} from '../../../src/api/contract/policies.ts';
import type { ServiceClient } from '../../../src/app/index.ts';
import { IpoError } from '../../../src/base/index.ts';
import { toYaml } from '../../../src/render/index.ts';
import { shortTime } from '../../../src/whatif/report/index.ts';
import { clean } from '../../terminal/clean.ts';
import { confirm, holdConfirmable } from '../../terminal/confirm.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { inEffectNote } from './in-effect.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import { parseOutputs, writeOutputs } from '../../terminal/output.ts';
import { openParts } from '../../terminal/parts.ts';
import { invalidNote } from './invalid.ts';
import { withService } from '../../service/client.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { renderRows } from '../../terminal/rows.ts';
import type { ServiceFlags } from '../../service/index.ts';

/** PolicyListOptions are the flags of `ipo policy list` and `revisions`. */
export interface PolicyListOptions extends ServiceFlags {
  readonly output?: readonly string[];
}

/** PolicyGetOptions are the flags of `ipo policy get`. */
export interface PolicyGetOptions extends ServiceFlags {
  readonly revision?: string;
  readonly output?: readonly string[];
}

/** PolicyDeleteOptions are the flags of `ipo policy delete`. */
export interface PolicyDeleteOptions extends ServiceFlags {
  readonly yes?: true;
  readonly output: readonly string[];
}

/** Listed is a list as the service answers it. */
interface Listed<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** runPolicyList is `ipo policy list`. */
export async function runPolicyList(options: PolicyListOptions, terminal: Terminal): Promise<ExitCode> {
  const outcome = openOutcome(options.output ?? [], terminal);
  const answered = await withService(terminal, options, (service) =>
    service.json<Listed<StoredPolicyBody>>('GET /policies'),
  );
  const { items } = answered.body;
  const spoilt = items.some(({ invalid }) => (invalid ?? null) !== null);
  const columns = [
    { heading: 'policy', flex: 8 },
    { heading: 'enforcement' },
    { heading: 'namespaces', flex: 3, cutsEnd: true },
    { heading: 'revision' },
    { heading: 'updated (UTC)' },
    ...(spoilt ? [{ heading: 'state' }] : []),
  ];
  const rows = items.map((policy) => [
    policy.name,
    policy.enforcement,
    policy.target_namespaces.length === 0 ? 'the whole cluster' : policy.target_namespaces.join(', '),
    policy.revision === '' ? '–' : policy.revision.slice(0, 12),
    shortTime(policy.updated_at),
    ...(spoilt ? [(policy.invalid ?? null) === null ? 'in effect' : 'not valid'] : []),
  ]);
  const faults = items.map((policy) => invalidNote(policy)).join('');
  await outcome.answer(
    answered,
    async () => `${await renderRows(columns, rows, 'No policy is in effect.', terminal)}${faults}`,
  );
  return EXIT.done;
}

/** runPolicyRevisions is `ipo policy revisions`. */
export async function runPolicyRevisions(
  name: string,
  options: PolicyListOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output ?? [], terminal);
  const answered = await withService(terminal, options, (service) => revisionsOf(service, name));
  const columns = [
    { heading: 'revision' },
    { heading: 'since (UTC)' },
    { heading: 'account', flex: 1 },
    { heading: '' },
  ];
  const rows = answered.body.items.map(
    ({ revision, recorded_at, recorded_by, recorded_by_name, current }) => [
      terminal.columns < 110 ? revision.slice(0, 32) : revision,
      shortTime(recorded_at),
      recorded_by_name ?? recorded_by ?? '–',
      current ? 'in effect' : '',
    ],
  );
  await outcome.answer(answered, () => renderRows(columns, rows, 'No revision.', terminal));
  return EXIT.done;
}

/** runPolicyGet is `ipo policy get`. */
export async function runPolicyGet(
  name: string,
  options: PolicyGetOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output ?? [], ['yaml', 'json'], 'yaml');
  const asked = options.revision;
  if (asked !== undefined && !/^[0-9a-f]{4,64}$/.test(asked)) {
    throw new UsageError(
      `--revision ${asked}: not a valid revision; give its first hexadecimal digits, 4 to 64`,
      `ipo policy revisions ${name} lists them`,
    );
  }
  const document = await withService(terminal, options, async (service) => {
    if (asked === undefined) {
      const { body } = await service.json<StoredPolicyBody>('GET /policies/{name}', { params: { name } });
      terminal.err(invalidNote(body));
      return body.document;
    }
    const revision = asked.length === 64 ? asked : await wholeRevision(service, name, asked);
    const key = 'GET /policies/{name}/revisions/{revision}';
    return (await service.json<RevisionBody>(key, { params: { name, revision } })).body.document;
  });
  const render = (format: 'yaml' | 'json') =>
    format === 'yaml' ? toYaml(document) : `${JSON.stringify(document)}\n`;
  await writeOutputs(targets, render, openParts(terminal), terminal);
  return EXIT.done;
}

async function wholeRevision(service: ServiceClient, name: string, beginning: string): Promise<string> {
  const { body } = await revisionsOf(service, name);
  const found = body.items.filter(({ revision }) => revision.startsWith(beginning));
  const [only, second] = found;
  if (only !== undefined && second === undefined) return only.revision;
  const hint = `\`ipo policy revisions ${name}\` lists them`;
  if (only === undefined)
    throw new IpoError(
      'not_found',
      `--revision ${beginning}: ${name} has no revision that begins with this`,
      {
        hint,
      },
    );
  throw new UsageError(`--revision ${beginning}: ${found.length} revisions of ${name} begin with this`, hint);
}

function revisionsOf(service: ServiceClient, name: string) {
  return service.json<Listed<RevisionSummaryBody>>('GET /policies/{name}/revisions', { params: { name } });
}

/** runPolicyDelete is `ipo policy delete`: what was shown is what is deleted, or nothing. */
export async function runPolicyDelete(
  name: string,
  options: PolicyDeleteOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  holdConfirmable(terminal, options.yes === true, 'ipo policy delete');
  return withService(terminal, options, async (service) => {
    const { body, headers } = await service.json<StoredPolicyBody>('GET /policies/{name}', {
      params: { name },
    });
    const where =
      body.target_namespaces.length === 0 ? 'the whole cluster' : body.target_namespaces.join(', ');
    terminal.err(invalidNote(body));
    const what = clean(`${body.name} (${body.enforcement}, ${where})`);
    if (options.yes !== true && !(await confirm(`Delete ${what} from ${service.server}?`, terminal))) {
      if (!globals.quiet) terminal.err('ipo: nothing was deleted\n');
      return EXIT.check;
    }
    const etag = headers['etag'] ?? '*';
    const gone = await service.json('DELETE /policies/{name}', {
      params: { name },
      headers: { 'if-match': etag },
    });
    const text = `${clean(body.name)} deleted${inEffectNote(gone.headers)}\n`;
    await outcome.write({ name: body.name, revision: body.revision, state: 'deleted' }, text);
    return EXIT.done;
  });
}
