import type { StoredRuleBody } from '../../../src/api/contract/runtime.ts';
import { toYaml } from '../../../src/render/index.ts';
import { runtimeRule, type RuntimeRule } from '../../../src/runtime/index.ts';
import { withService } from '../../service/client.ts';
import { clean } from '../../terminal/clean.ts';
import { confirm, holdConfirmable } from '../../terminal/confirm.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import { parseOutputs, writeOutputs } from '../../terminal/output.ts';
import { openParts } from '../../terminal/parts.ts';
import { renderRows } from '../../terminal/rows.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { matchText, whenText } from './view.ts';
import type { ServiceFlags } from '../../service/index.ts';

/** RuleReadFlags are those of the verbs that only read. */
export interface RuleReadFlags extends ServiceFlags {
  readonly output: readonly string[];
}

/** RuleDeleteFlags are those of `ipo runtime rule delete`. */
export interface RuleDeleteFlags extends RuleReadFlags {
  readonly yes?: true;
}

/** RuleList is the list of rules as the service answers it. */
export interface RuleList {
  readonly items: readonly StoredRuleBody[];
  readonly total: number;
}

const COLUMNS = [
  { heading: '#', align: 'right' as const },
  { heading: 'rule', flex: 2 },
  { heading: 'action' },
  { heading: 'when' },
  { heading: 'events', flex: 3 },
  { heading: '' },
];

/** runRuleList is `ipo runtime rule list`. */
export async function runRuleList(options: RuleReadFlags, terminal: Terminal): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const { body } = await withService(terminal, options, (service) =>
    service.json<RuleList>('GET /runtime/rules'),
  );
  const rows = body.items.map((item) => {
    const rule = readRule(item);
    const [match, when] = rule === null ? ['–', '–'] : [matchText(rule), whenText(rule)];
    const able = item.enabled ? '' : 'disabled';
    const state = item.fault === null ? able : 'not readable';
    return [String(item.place), item.name, item.action, when, match, state];
  });
  const table = await renderRows(
    COLUMNS,
    rows,
    'There is no runtime rule: every event is recorded.',
    terminal,
  );
  await outcome.write(body, table + body.items.map(faultNote).join(''));
  return EXIT.done;
}

/** runRuleShow is `ipo runtime rule show`. */
export async function runRuleShow(
  name: string,
  options: RuleReadFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['yaml', 'json'], 'yaml');
  const { body } = await withService(terminal, options, (service) =>
    service.json<StoredRuleBody>('GET /runtime/rules/{name}', { params: { name } }),
  );
  terminal.err(faultNote(body));
  await writeDocument(targets, body.document, terminal);
  return EXIT.done;
}

/** runRuleExport is `ipo runtime rule export`. */
export async function runRuleExport(options: RuleReadFlags, terminal: Terminal): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['yaml', 'json'], 'yaml');
  const { body } = await withService(terminal, options, (service) =>
    service.json<RuleList>('GET /runtime/rules'),
  );
  const rules = body.items.map(({ document }) => document);
  await writeDocument(targets, { apiVersion: 'ipo.dev/v1', kind: 'RuntimeRules', rules }, terminal);
  return EXIT.done;
}

/** runRuleDelete is `ipo runtime rule delete`: what was shown is what is deleted, or nothing. */
export async function runRuleDelete(
  name: string,
  options: RuleDeleteFlags,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  holdConfirmable(terminal, options.yes === true, 'ipo runtime rule delete');
  return withService(terminal, options, async (service) => {
    const { body, headers } = await service.json<StoredRuleBody>('GET /runtime/rules/{name}', {
      params: { name },
    });
    const what = clean(`${body.name} (${body.action}, number ${body.place})`);
    if (options.yes !== true && !(await confirm(`Delete ${what} from ${service.server}?`, terminal))) {
      if (!globals.quiet) terminal.err('ipo: nothing was deleted\n');
      return EXIT.check;
    }
    const match = { 'if-match': headers['etag'] ?? '*' };
    await service.json('DELETE /runtime/rules/{name}', { params: { name }, headers: match });
    await outcome.write({ name: body.name, state: 'deleted' }, `${clean(body.name)} deleted\n`);
    return EXIT.done;
  });
}

/** readRule gives the rule of an answer; null for one of an old release whose match cannot be read. */
export function readRule({ document, fault }: StoredRuleBody): RuntimeRule | null {
  if (fault !== null) return null;
  const read = runtimeRule.safeParse(document);
  return read.success ? read.data : null;
}

function faultNote({ name, fault }: StoredRuleBody): string {
  if (fault === null) return '';
  return `${clean(name)}: its match cannot be read, so the rule matches nothing: ${clean(fault, 500)}.\n  Write it again with ipo runtime rule apply -f FILE, or delete it.\n`;
}

function writeDocument(
  targets: ReturnType<typeof parseOutputs<'yaml' | 'json'>>,
  document: unknown,
  terminal: Terminal,
): Promise<void> {
  const forms = { yaml: () => toYaml(document), json: () => `${JSON.stringify(document)}\n` };
  return writeOutputs(targets, (format) => forms[format](), openParts(terminal), terminal);
}
