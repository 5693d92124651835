import { decides, IN_EFFECT_ABOUT, IN_EFFECT_HEADER } from './in-effect.ts';
import type { z } from 'zod';
import { ACCESS, type RouteKey } from '../accounts/index.ts';
import { problemSchema } from './contract/problem.ts';
import { BODY_EXAMPLES } from './examples.ts';
import { splitKey } from './paths.ts';
import { Schemas } from './openapi-schemas.ts';
import type { Route } from './route.ts';
import { TAGS } from './tags.ts';

type Json = Record<string, unknown>;

/**
 * openApiDocument describes the routes as OpenAPI 3.1, from the same schemas that validate their calls and the same table
 * that says who may make them. Throws for a route with a tag that has no description.
 */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const schemas = new Schemas();
  const problem = schemas.of(problemSchema, 'output', 'problem');
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const { method, path } = splitKey(route.key);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(route, schemas) };
  }
  const used = new Set(routes.map(({ tag }) => tag));
  for (const tag of used) if (!Object.hasOwn(TAGS, tag)) throw new Error(`the tag ${tag} has no description`);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Image-policy operator',
      version,
      summary: 'Admission decisions on container images, their ledger, and what a policy would change',
      description:
        'Errors are problem documents (RFC 9457). `x-role` names the least role that may make a call. Lists are given whole ' +
        'unless `limit` asks for a page. HEAD is answered wherever GET is.',
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1', description: 'This service' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'Secret of a session (`POST /session`), or a token (`POST /tokens`)',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-ipo_session',
          description: 'Session of a browser. Calls that change something must come from the own site',
        },
      },
      responses: responses(problem),
      schemas: schemas.all(),
    },
  };
}

function operation(route: Route, schemas: Schemas): Json {
  const { key, id, tag, summary, description, params, query, body } = route;
  const access = ACCESS[key];
  const open = access === 'anonymous';
  const needs = open ? 'Open to everybody.' : `Needs the role \`${access}\`.`;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, needs].filter((part) => part !== undefined).join('\n\n'),
    'x-role': access,
    security: open ? [] : [{ bearer: [] }, { session: [] }],
    ...parameters(key, params, query, schemas, id),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: schemas.of(body, 'input', `${id}Body`),
            ...(Object.hasOwn(BODY_EXAMPLES, key) && { example: BODY_EXAMPLES[key] }),
          },
        },
      },
    }),
    responses: { ...answers(route, schemas), ...faults(route) },
  };
}

function parameters(
  key: RouteKey,
  params: z.ZodType | undefined,
  query: z.ZodType | undefined,
  schemas: Schemas,
  id: string,
): Json {
  const named = new Set([...key.matchAll(/\{([a-z_]+)\}/gi)].map(([, name = '']) => name));
  const inPath = schemas.fieldsOf(params, `${id}Path`);
  for (const field of inPath) named.delete(field.name);
  if (named.size > 0) throw new Error(`${key} has no schema of {${[...named].join('}, {')}}`);
  const all = [
    ...inPath.map((field) => ({ in: 'path', ...field, required: true })),
    ...schemas.fieldsOf(query, `${id}Query`).map((field) => ({ in: 'query', ...field })),
  ];
  return all.length === 0 ? {} : { parameters: all };
}

function answers({ key, id, answers }: Route, schemas: Schemas): Json {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, type, otherTypes = [], ...more }]) => {
      const says = decides(key) && status.startsWith('2');
      const headers = says ? { ...more.headers, [IN_EFFECT_HEADER]: IN_EFFECT_ABOUT } : more.headers;
      const others = otherTypes.map((other) => [other, { schema: { type: 'string' } }] as const);
      const described = schema === undefined ? undefined : schemas.of(schema, 'output', `${id}${status}`);
      const content =
        described !== undefined || type !== undefined
          ? {
              content: {
                [type ?? 'application/json']: { schema: described ?? { type: 'string' } },
                ...Object.fromEntries(others),
              },
            }
          : {};
      const named =
        headers === undefined
          ? {}
          : {
              headers: Object.fromEntries(
                Object.entries(headers).map(([name, text]) => [
                  name,
                  { description: text, schema: { type: 'string' } },
                ]),
              ),
            };
      return [status, { description, ...named, ...content }];
    }),
  );
}

const FAULTS: Readonly<Record<number, readonly [name: string, description: string]>> = {
  400: ['Invalid', 'The request is not valid; `errors` has each fault by its path'],
  401: ['Unauthenticated', 'Nobody is signed in, or the sign-in has ended'],
  403: ['Forbidden', 'The account may not do this, or the request comes from another site'],
  404: ['NotFound', 'Not found'],
  413: ['TooLarge', 'The body is larger than this call takes'],
  415: ['NotJson', 'The body is not JSON'],
  429: [
    'TooMany',
    'The account has as many of the costly calls under way as it may have; `Retry-After` says how long to wait',
  ],
  500: ['Fault', 'The service met a fault of its own; its log has it under `request_id`'],
  503: ['Unavailable', 'A part of the service is down at present; `Retry-After` says how long to wait'],
};

function faults({ key, body, answers, work }: Route): Json {
  const open = ACCESS[key] === 'anonymous';
  const has: Readonly<Record<number, boolean>> = {
    400: true,
    401: !open,
    403: !open || body !== undefined,
    404: key.includes('{'),
    413: body !== undefined,
    415: body !== undefined,
    429: work !== undefined,
    500: true,
    503: true,
  };
  const statuses = Object.keys(FAULTS).filter(
    (status) => has[Number(status)] === true && !(status in answers),
  );
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${FAULTS[Number(status)]?.[0]}` }]),
  );
}

function responses(problem: unknown): Json {
  return Object.fromEntries(
    Object.entries(FAULTS).map(([status, [name, description]]) => [
      name,
      {
        description,
        ...(['429', '503'].includes(status) && {
          headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } },
        }),
        content: { 'application/problem+json': { schema: problem } },
      },
    ]),
  );
}
