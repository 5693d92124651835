import { z } from 'zod';
import { route, type Route } from '../route.ts';

/** openApiRoutes serves the description of the API; `document` is asked once per call and gives its JSON. */
export function openApiRoutes(parts: { readonly document: () => string }): Route[] {
  return [
    route({
      key: 'GET /openapi.json',
      id: 'describeApi',
      tag: 'system',
      summary: 'Describe this API',
      description: 'This document: OpenAPI 3.1.',
      answers: { 200: { description: 'The description', schema: z.looseObject({ openapi: z.string() }) } },
      handle: () => ({ json: parts.document() }),
    }),
  ];
}
