import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../base/index.ts';
import { toSent } from './faults.ts';
import type { SentProblem } from './problems.ts';

/** Refusals answer requests that are refused, or that failed. */
export interface Refusals {
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void;
  sendProblem(reply: FastifyReply, sent: SentProblem): void;
}

/** openRefusals makes them; `headers` are those of every answer. */
export function openRefusals(log: Log, headers: Readonly<Record<string, string>>): Refusals {
  return { refuse, sendProblem };

  function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const sent = toSent(error, request.id);
    const keys = {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions?.url ?? null,
      status: sent.status,
      code: sent.problem.code,
    };
    if (reply.raw.destroyed) log.debug('request left', keys); // nobody is told any more
    else if (sent.status === 503) log.warn('request failed', { ...keys, error });
    else if (sent.status >= 500) log.error('request failed', { ...keys, error });
    else log.info('request refused', keys);
    if (reply.sent) return;
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    sendProblem(reply, sent);
  }
}

function sendProblem(reply: FastifyReply, { status, problem, headers }: SentProblem): void {
  const bytes = Buffer.from(JSON.stringify(problem), 'utf8');
  reply
    .code(status)
    .headers(headers)
    .header('content-length', bytes.length)
    .type('application/problem+json')
    .send(reply.request.method === 'HEAD' ? '' : bytes);
}
