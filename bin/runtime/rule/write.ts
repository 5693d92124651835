import type { StoredRuleBody } from '../../../src/api/contract/runtime.ts';
import { withService } from '../../service/client.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import { parseWhole } from '../../terminal/numbers.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { toContent, type RuleDocument, type RuleContentFlags } from './content.ts';
import type { RuleReadFlags } from './verbs.ts';

/** RulePlaceFlags say where a rule comes to stand. */
export interface RulePlaceFlags {
  readonly before?: string;
  readonly after?: string;
  readonly place?: string;
}

/** RuleMoveFlags are those of `ipo runtime rule move`. */
export interface RuleMoveFlags extends RuleReadFlags, RulePlaceFlags {}

/** RuleAddFlags are those of `ipo runtime rule add`. */
export interface RuleAddFlags extends RuleReadFlags, RulePlaceFlags, RuleContentFlags {}

/** RuleEditFlags are those of `ipo runtime rule edit`. */
export interface RuleEditFlags extends RuleReadFlags, RuleContentFlags {
  readonly rename?: string;
}

type Written = StoredRuleBody & { readonly changed: boolean };

/** runRuleAdd is `ipo runtime rule add`. */
export async function runRuleAdd(name: string, options: RuleAddFlags, terminal: Terminal): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const query = placeOf(options);
  const body = toContent({ name, action: 'record' }, options);
  const answer = await withService(terminal, options, (service) =>
    service.json<Written>('POST /runtime/rules', { query, body }),
  );
  await outcome.write(answer.body, `${clean(name)} added as number ${answer.body.place}\n`);
  return EXIT.done;
}

/** runRuleEdit is `ipo runtime rule edit`: what no flag names stays as it was when it was read. */
export async function runRuleEdit(
  name: string,
  options: RuleEditFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const answer = await withService(terminal, options, async (service) => {
    const key = 'GET /runtime/rules/{name}';
    const { body, headers } = await service.json<StoredRuleBody>(key, { params: { name } });
    const before = body.document as RuleDocument;
    const document = toContent({ ...before, name: options.rename ?? before.name }, options);
    return service.json<Written>('PUT /runtime/rules/{name}', {
      params: { name },
      body: document,
      headers: { 'if-match': headers['etag'] ?? '*' },
    });
  });
  const said = answer.body.changed ? 'updated' : 'is unchanged';
  await outcome.write(answer.body, `${clean(answer.body.name)} ${said}\n`);
  return EXIT.done;
}

/** runRuleMove is `ipo runtime rule move`. */
export async function runRuleMove(
  name: string,
  options: RuleMoveFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const where = placeOf(options);
  if (Object.keys(where).length === 0)
    throw new UsageError('no place given', 'Give --before RULE, --after RULE or --place N');
  const answer = await withService(terminal, options, async (service) => {
    const params = { name };
    const { headers } = await service.json('GET /runtime/rules/{name}', { params });
    const match = { 'if-match': headers['etag'] ?? '*' };
    return service.json<Written>('POST /runtime/rules/{name}/move', { params, body: where, headers: match });
  });
  const said = answer.body.changed ? 'is now' : 'is already';
  await outcome.write(answer.body, `${clean(name)} ${said} number ${answer.body.place}\n`);
  return EXIT.done;
}

const MOST = 500;

function placeOf({ before, after, place }: RulePlaceFlags) {
  return {
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(place !== undefined && { place: parseWhole('--place', place, 1, MOST, 'a place in the order') }),
  };
}
