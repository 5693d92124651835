import type { StoredRuleBody } from '../../../src/api/contract/runtime.ts';
import type { ServiceClient } from '../../../src/app/index.ts';
import { normalRule, type RuntimeRule } from '../../../src/runtime/index.ts';
import { checkStdin, withDirectories } from '../../files/index.ts';
import { documentDifference } from '../../terminal/document-difference.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { openParts } from '../../terminal/parts.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { runApply, type Plan, type PlannedChange, type ApplyOptions } from '../apply.ts';
import { readDraft } from '../read-draft.ts';
import { readRule, type RuleList } from './verbs.ts';

/** RuleApplyFlags are those of `ipo runtime rule apply`. */
export interface RuleApplyFlags extends ApplyOptions {
  readonly file?: readonly string[];
}

/** runRuleApply is `ipo runtime rule apply`: the whole list is replaced at once, in the version that was compared. */
export async function runRuleApply(
  options: RuleApplyFlags,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { file: paths = [] } = options;
  checkStdin([...paths, options.tokenStdin === true ? '-' : undefined]);
  const applied = { command: 'ipo runtime rule apply', one: 'change', many: 'changes' };
  const read = async () => {
    if (paths.length === 0) throw new UsageError('no file given', 'Name files of RuntimeRules with -f FILE');
    const rules = await readAll(paths, terminal);
    return (service: ServiceClient) => toPlan(service, rules);
  };
  return runApply(applied, read, options, terminal, globals);
}

/** The rules of all files one after another, each name once. */
async function readAll(paths: readonly string[], terminal: Terminal): Promise<readonly RuntimeRule[]> {
  const parts = openParts(terminal);
  const found = new Map<string, { readonly rule: RuntimeRule; readonly file: string }>();
  let any = false;
  for (const file of await withDirectories(paths, 'runtime rule', parts)) {
    const { rules } = await readDraft(file, parts);
    any ||= rules !== null;
    for (const rule of rules ?? []) {
      const first = found.get(rule.name);
      if (first !== undefined)
        throw new UsageError(
          `${file}: the rule "${rule.name}" is in ${first.file} too`,
          'Give each rule only once',
        );
      found.set(rule.name, { rule, file });
    }
  }
  if (!any)
    throw new UsageError(
      `${paths.join(', ')}: no RuntimeRules document`,
      'RuntimePolicy documents are applied with ipo runtime policy apply FILE',
    );
  return [...found.values()].map(({ rule }) => rule);
}

async function toPlan(service: ServiceClient, rules: readonly RuntimeRule[]): Promise<Plan> {
  const { body, headers } = await service.json<RuleList>('GET /runtime/rules');
  const changes = toChanges(body.items, rules);
  const match = { 'if-match': headers['etag'] ?? '*' };
  const write = () => service.json('PUT /runtime/rules', { body: { rules }, headers: match });
  return { changes, steps: (due) => [{ changes: due, write }] };
}

type Json = Readonly<Record<string, unknown>>;

/** toChanges compares lists by names: what differs in content, and what stands in another order among those that stay. */
function toChanges(
  stored: readonly StoredRuleBody[],
  rules: readonly RuntimeRule[],
): readonly PlannedChange[] {
  const before = new Map(stored.map((one) => [one.name, one]));
  const after = new Set(rules.map(({ name }) => name));
  const staying = stored.filter(({ name }) => after.has(name)).map(({ name }) => name);
  const order = rules.filter(({ name }) => before.has(name)).map(({ name }) => name);
  const moved = new Set(order.filter((name, i) => staying[i] !== name));
  const changes = rules.map((rule, i): PlannedChange => {
    const { name } = rule;
    const one = before.get(name);
    if (one === undefined)
      return { name, kind: 'created', lines: documentDifference({}, toJson(normalRule(rule))) };
    const was = readRule(one) ?? one.document;
    const lines = [
      ...documentDifference(toJson(was), toJson(normalRule(rule))),
      ...(moved.has(name) ? [`number ${one.place} → ${i + 1}`] : []),
    ];
    if (lines.length === 0) return { name, kind: 'unchanged', lines };
    return { name, kind: lines.length === 1 && moved.has(name) ? 'moved' : 'updated', lines };
  });
  const gone = stored.filter(({ name }) => !after.has(name));
  return [...changes, ...gone.map(({ name }): PlannedChange => ({ name, kind: 'deleted', lines: [] }))];
}

function toJson(rule: unknown): Json {
  return JSON.parse(JSON.stringify(rule)) as Json;
}
