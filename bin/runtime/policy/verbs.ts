import type { StoredRuntimePolicyBody } from '../../../src/api/contract/runtime-policies.ts';
import { toYaml } from '../../../src/render/index.ts';
import { withService } from '../../service/client.ts';
import { clean } from '../../terminal/clean.ts';
import { confirm, holdConfirmable } from '../../terminal/confirm.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import { parseOutputs, writeOutputs } from '../../terminal/output.ts';
import { openParts } from '../../terminal/parts.ts';
import { renderRows, shortMoment } from '../../terminal/rows.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import type { ServiceFlags } from '../../service/index.ts';

/** RuntimePolicyFlags are the flags of the verbs that only read. */
export interface RuntimePolicyFlags extends ServiceFlags {
  readonly output: readonly string[];
}

/** RuntimePolicyDeleteFlags are those of `ipo runtime policy delete`. */
export interface RuntimePolicyDeleteFlags extends RuntimePolicyFlags {
  readonly yes?: true;
}

const COLUMNS = [
  { heading: 'runtime policy', flex: 8 },
  { heading: 'enforcement' },
  { heading: 'stop' },
  { heading: 'namespaces', flex: 3, cutsEnd: true },
  { heading: 'updated (UTC)' },
  { heading: 'state' },
];

/** runRuntimePolicyList is `ipo runtime policy list`. */
export async function runRuntimePolicyList(
  options: RuntimePolicyFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const { body } = await withService(terminal, options, (service) =>
    service.json<{ items: readonly StoredRuntimePolicyBody[] }>('GET /runtime/policies'),
  );
  const rows = body.items.map((policy) => [
    ...[policy.name, policy.enforcement, policy.stop_mode, whereOf(policy)],
    ...[shortMoment(policy.updated_at), policy.invalid === null ? 'in effect' : 'not in effect'],
  ]);
  const table = await renderRows(COLUMNS, rows, 'There is no runtime policy.', terminal);
  await outcome.write(body, table + body.items.map(faultNote).join(''));
  return EXIT.done;
}

/** runRuntimePolicyShow is `ipo runtime policy show`. */
export async function runRuntimePolicyShow(
  name: string,
  options: RuntimePolicyFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['yaml', 'json'], 'yaml');
  const { document } = await withService(terminal, options, async (service) => {
    const { body } = await get(service, name);
    terminal.err(faultNote(body));
    return body;
  });
  const forms = { yaml: () => toYaml(document), json: () => `${JSON.stringify(document)}\n` };
  await writeOutputs(targets, (format) => forms[format](), openParts(terminal), terminal);
  return EXIT.done;
}

/** runRuntimePolicyDelete is `ipo runtime policy delete`: what was shown is what is deleted, or nothing. */
export async function runRuntimePolicyDelete(
  name: string,
  options: RuntimePolicyDeleteFlags,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  holdConfirmable(terminal, options.yes === true, 'ipo runtime policy delete');
  return withService(terminal, options, async (service) => {
    const { body, headers } = await get(service, name);
    const what = clean(`${body.name} (${body.enforcement}, ${whereOf(body)})`);
    if (options.yes !== true && !(await confirm(`Delete ${what} from ${service.server}?`, terminal))) {
      if (!globals.quiet) terminal.err('ipo: nothing was deleted\n');
      return EXIT.check;
    }
    const match = { 'if-match': headers['etag'] ?? '*' };
    await service.json('DELETE /runtime/policies/{name}', { params: { name }, headers: match });
    const { revision } = body;
    await outcome.write({ name: body.name, revision, state: 'deleted' }, `${clean(body.name)} deleted\n`);
    return EXIT.done;
  });
}

type Service = Parameters<Parameters<typeof withService>[2]>[0];

function get(service: Service, name: string) {
  return service.json<StoredRuntimePolicyBody>('GET /runtime/policies/{name}', { params: { name } });
}

function whereOf({ target_namespaces: named }: StoredRuntimePolicyBody): string {
  return named.length === 0 ? 'the whole cluster' : named.join(', ');
}

/** Why a policy is not in effect as it is written, and what to do. */
function faultNote({ name, invalid }: StoredRuntimePolicyBody): string {
  if (invalid === null) return '';
  const meanwhile = invalid.in_effect ? 'its last valid revision stays in effect' : 'it is not in effect';
  return `${clean(name)}: ${clean(invalid.fault, 1000)}; ${meanwhile}.\n  Replace it with ipo runtime policy apply FILE, or delete it with ipo runtime policy delete ${clean(name)}.\n`;
}
