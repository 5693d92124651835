import type { AuditLog, Principal } from '../../accounts/index.ts';
import { formatTime } from '../../base/index.ts';
import type { Declaration, Declarations } from '../../evidence/index.ts';
import {
  declarationBody,
  declarationPath,
  declarationSchema,
  declarationsSchema,
  type DeclarationBody,
} from '../contract/evidence.ts';
import { pageSchema } from '../contract/paging.ts';
import { problemSchema } from '../contract/problem.ts';
import { openRecording } from '../recording.ts';
import { route, type Route } from '../route.ts';

/** DeclarationsParts are what the routes of declarations act through. */
export interface DeclarationsParts {
  readonly declarations: Declarations;
  readonly audit: AuditLog;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
}

/** declarationsRoutes keep what the organisation says of itself in evidence packages. */
export function declarationsRoutes({ declarations, audit, together }: DeclarationsParts): Route[] {
  const record = openRecording(audit);
  return [
    route({
      key: 'GET /declarations',
      id: 'listDeclarations',
      tag: 'evidence',
      summary: 'List what the organisation declares in evidence packages, in order',
      description: 'Those that have ended too: they stand in packages of the time before.',
      query: pageSchema,
      answers: { 200: { description: 'The declarations', schema: declarationsSchema } },
      handle: async ({ query: { limit, offset = 0 } }) => {
        const all = await declarations.list();
        const items = all.slice(offset, limit === undefined ? undefined : offset + limit);
        return { body: { items: items.map(toBody), total: all.length } };
      },
    }),
    route({
      key: 'POST /declarations',
      id: 'createDeclaration',
      tag: 'evidence',
      summary: 'Declare something that evidence packages print',
      body: declarationBody,
      answers: { 201: { description: 'The declaration', schema: declarationSchema } },
      handle: async (call) => {
        const { statement, valid_until: until = null } = call.body;
        const { accountId } = call.principal as Principal;
        const made = await together(async () => {
          const declared = await declarations.declare(
            statement.trim(),
            until === null ? null : Math.floor(until),
            `user:${accountId}`,
          );
          await record(call, 'declaration_create', declared.id, {
            statement: declared.statement,
            valid_until: toBody(declared).valid_until,
          });
          return declared;
        });
        return { status: 201, body: toBody(made) };
      },
    }),
    route({
      key: 'DELETE /declarations/{id}',
      id: 'withdrawDeclaration',
      tag: 'evidence',
      summary: 'Withdraw a declaration',
      description: 'It ends now, and stays in packages of the time before.',
      params: declarationPath,
      answers: {
        200: { description: 'The declaration, which ended now', schema: declarationSchema },
        409: {
          description: 'It had ended already',
          schema: problemSchema,
          type: 'application/problem+json',
        },
      },
      handle: async (call) => {
        const ended = await together(async () => {
          const withdrawn = await declarations.withdraw(call.params.id);
          await record(call, 'declaration_withdraw', withdrawn.id, {});
          return withdrawn;
        });
        return { body: toBody(ended) };
      },
    }),
  ];
}

function toBody({ id, statement, declaredBy, declaredAt, validUntil }: Declaration): DeclarationBody {
  return {
    id,
    statement,
    declared_by: declaredBy,
    declared_at: formatTime(declaredAt),
    valid_until: validUntil === null ? null : formatTime(validUntil),
  };
}
