import type { AuditAction, AuditLog, Principal } from '../../accounts/index.ts';
import { formatTime } from '../../base/index.ts';
import type { RuleAuthor, RulePlace, RuntimeRules, StoredRule, WrittenRule } from '../../runtime/index.ts';
import { problemSchema } from '../contract/problem.ts';
import {
  moveBody,
  replacedRulesSchema,
  ruleDocument,
  rulePath,
  rulesBody,
  rulesSchema,
  storedRuleSchema,
  whereQuery,
  writtenRuleSchema,
  type StoredRuleBody,
} from '../contract/runtime.ts';
import { expectedOf, toETag } from '../if-match.ts';
import { openRecording } from '../recording.ts';
import { route, type Answered, type Route, type RouteAnswer } from '../route.ts';

/** RuntimeRuleParts are what the routes of runtime rules act through. */
export interface RuntimeRuleParts {
  readonly runtimeRules: RuntimeRules;
  readonly audit: AuditLog;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;
const TAKEN: Answered = {
  ...PROBLEM,
  description: 'A rule of this name is there already, or there are too many',
};
const CHANGED: Answered = { ...PROBLEM, description: 'It has been changed since it was read' };
const UNSURE: Answered = { ...PROBLEM, description: 'The call has no If-Match' };
const MISSING: Answered = { ...PROBLEM, description: 'No rule has this name' };
const ETAG = { ETag: 'Version of the rule, for If-Match' };
const IF_MATCH = 'Needs `If-Match` with the ETag that GET gave, or `*` for whatever stands.';
/** A list of rules is longer than other bodies. */
const MAX_BODY = 4 * 1_048_576;

/** runtimeRuleRoutes read and write the rules over events. A write and its audit entry are durable together before its answer. */
export function runtimeRuleRoutes(parts: RuntimeRuleParts): Route[] {
  const write = writing(parts);
  return [...listRoutes(parts), addRoute(parts, write), showRoute(parts), ...changeRoutes(parts, write)];
}

type Write = ReturnType<typeof writing>;

function writing({ audit, together }: RuntimeRuleParts) {
  const record = openRecording(audit);
  return (
    call: Call,
    action: AuditAction,
    act: (by: RuleAuthor) => Promise<WrittenRule>,
    detail: Readonly<Record<string, unknown>> = {},
  ): Promise<WrittenRule> =>
    together(async () => {
      const written = await act(authorOf(call));
      const { stored, place, changed } = written;
      const { name, ...content } = stored.rule;
      if (changed) await record(call, action, name, { place, ...content, ...detail });
      return written;
    });
}

function listRoutes({ runtimeRules: rules, audit, together }: RuntimeRuleParts): Route[] {
  const record = openRecording(audit);
  return [
    route({
      key: 'GET /runtime/rules',
      id: 'listRuntimeRules',
      tag: 'runtime',
      summary: 'List the runtime rules in the order in which they are tried',
      answers: {
        200: {
          description: 'The rules',
          schema: rulesSchema,
          headers: { ETag: 'Version of the whole list, for If-Match' },
        },
      },
      handle: async () => {
        const { items, version } = await rules.list();
        return {
          body: { items: items.map((stored, at) => toBody(stored, at + 1)), total: items.length },
          headers: { etag: toETag(version) },
        };
      },
    }),
    route({
      key: 'PUT /runtime/rules',
      id: 'replaceRuntimeRules',
      tag: 'runtime',
      summary: 'Put a whole list of runtime rules in the place of the one that stands',
      description: `${IF_MATCH} Rules of the same name keep what was counted for their windows and throttles.`,
      body: rulesBody,
      maxBody: MAX_BODY,
      answers: {
        200: { description: 'The list, and what it changed', schema: replacedRulesSchema },
        412: CHANGED,
        428: UNSURE,
      },
      handle: async (call) => {
        const expected = expectedOf(call.headers);
        const { items, version, added, updated, deleted, reordered } = await together(async () => {
          const replaced = await rules.replace(call.body.rules, expected, authorOf(call));
          const { added, updated, deleted, reordered } = replaced;
          if (reordered || [...added, ...updated, ...deleted].length > 0)
            await record(call, 'runtime_rules_replace', '', { added, updated, deleted, reordered });
          return replaced;
        });
        return {
          body: {
            items: items.map((stored, at) => toBody(stored, at + 1)),
            total: items.length,
            added,
            updated,
            deleted,
            reordered,
          },
          headers: { etag: toETag(version) },
        };
      },
    }),
  ];
}

function addRoute({ runtimeRules: rules }: RuntimeRuleParts, write: Write): Route {
  return route({
    key: 'POST /runtime/rules',
    id: 'createRuntimeRule',
    tag: 'runtime',
    summary: 'Add a runtime rule, behind all others unless a place is given',
    query: whereQuery,
    body: ruleDocument,
    answers: {
      201: {
        description: 'The rule is asked from now on',
        schema: writtenRuleSchema,
        headers: { ...ETAG, Location: 'Path of the rule' },
      },
      404: { ...PROBLEM, description: 'No rule has the name given for the place' },
      409: TAKEN,
    },
    handle: async (call) =>
      answerOf(
        await write(call, 'runtime_rule_create', (by) => rules.add(call.body, placeOf(call.query), by)),
        201,
      ),
  });
}

function showRoute({ runtimeRules: rules }: RuntimeRuleParts): Route {
  return route({
    key: 'GET /runtime/rules/{name}',
    id: 'showRuntimeRule',
    tag: 'runtime',
    summary: 'Show a runtime rule',
    params: rulePath,
    answers: { 200: { description: 'The rule', schema: storedRuleSchema, headers: ETAG }, 404: MISSING },
    handle: async ({ params }) => {
      const { stored, place } = await rules.get(params.name);
      return { body: toBody(stored, place), headers: { etag: toETag(stored.version) } };
    },
  });
}

function changeRoutes({ runtimeRules: rules, audit, together }: RuntimeRuleParts, write: Write): Route[] {
  const record = openRecording(audit);
  return [
    route({
      key: 'PUT /runtime/rules/{name}',
      id: 'updateRuntimeRule',
      tag: 'runtime',
      summary: 'Update a runtime rule at its place',
      description: `${IF_MATCH} A document of another name renames it.`,
      params: rulePath,
      body: ruleDocument,
      answers: {
        200: { description: 'The rule', schema: writtenRuleSchema, headers: ETAG },
        404: MISSING,
        409: TAKEN,
        412: CHANGED,
        428: UNSURE,
      },
      handle: async (call) => {
        const expected = expectedOf(call.headers);
        const { name } = call.params;
        return answerOf(
          await write(call, 'runtime_rule_update', (by) => rules.update(name, call.body, expected, by), {
            name_before: name,
          }),
          200,
        );
      },
    }),
    route({
      key: 'POST /runtime/rules/{name}/move',
      id: 'moveRuntimeRule',
      tag: 'runtime',
      summary: 'Move a runtime rule to another place in the order',
      description: IF_MATCH,
      params: rulePath,
      body: moveBody,
      answers: {
        200: { description: 'The rule at its place', schema: writtenRuleSchema, headers: ETAG },
        404: MISSING,
        412: CHANGED,
        428: UNSURE,
      },
      handle: async (call) => {
        const expected = expectedOf(call.headers);
        const where = placeOf(call.body) ?? { place: 1 };
        return answerOf(
          await write(call, 'runtime_rule_move', (by) => rules.move(call.params.name, where, expected, by)),
          200,
        );
      },
    }),
    route({
      key: 'DELETE /runtime/rules/{name}',
      id: 'deleteRuntimeRule',
      tag: 'runtime',
      summary: 'Delete a runtime rule',
      description: IF_MATCH,
      params: rulePath,
      answers: { 204: { description: 'The rule is gone' }, 404: MISSING, 412: CHANGED, 428: UNSURE },
      handle: async (call) => {
        const expected = expectedOf(call.headers);
        await together(async () => {
          const { rule } = await rules.remove(call.params.name, expected, authorOf(call));
          const { name, ...content } = rule;
          await record(call, 'runtime_rule_delete', name, content);
        });
        return { status: 204 };
      },
    }),
  ];
}

type Call = { readonly principal: Principal | null; readonly path: string };

function authorOf({ principal }: Call): RuleAuthor {
  const { accountId, name } = principal as Principal;
  return { accountId, name };
}

function placeOf(given: {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly place?: number | undefined;
}): RulePlace | null {
  if (given.before !== undefined) return { before: given.before };
  if (given.after !== undefined) return { after: given.after };
  return given.place === undefined ? null : { place: given.place };
}

function answerOf({ stored, place, changed }: WrittenRule, status: 200 | 201): RouteAnswer {
  const location = `/api/v1/runtime/rules/${encodeURIComponent(stored.rule.name)}`;
  return {
    status,
    body: { ...toBody(stored, place), changed },
    headers: { etag: toETag(stored.version), ...(status === 201 && { location }) },
  };
}

function toBody({ rule, fault, createdAt, createdBy, updatedAt }: StoredRule, place: number): StoredRuleBody {
  const { name, enabled, action } = rule;
  return {
    name,
    place,
    enabled,
    action,
    created_at: formatTime(createdAt),
    created_by: createdBy,
    updated_at: formatTime(updatedAt),
    fault,
    document: rule,
  };
}
