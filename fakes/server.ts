import type { Faults } from './faults.ts';
import { parseObject } from './json.ts';
import type { Limits, Spent } from './limits.ts';
import { Meter } from './limits.ts';
import type { Answer } from './listener.ts';
import { strike, type StruckParts } from './strike.ts';
import type { FakeToken } from './tokens.ts';
import type { CallAct, Route, WireReply, WireRequest } from './wire.ts';
import type { Provider } from './provider.ts';

/** Seen is a request as the fake remembers it. `status` is null where no answer went out. */
export interface Seen {
  readonly at: number;
  readonly act: CallAct;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** token is the name of the credential that came with it, or null. */
  token: string | null;
  status: number | null;
  /** answer is the body that the tracker meant to send, whatever a fault made of it. */
  answer: unknown;
  /** fault is the kind of the fault that met it, or null. */
  fault: string | null;
}

/** ServerParts are what a server works with. */
export interface ServerParts extends StruckParts {
  readonly faults: Faults;
  readonly limits: Limits;
  readonly requests: Seen[];
  readonly violations: string[];
  readonly heard: (seen: Seen) => void;
}

/** openServer gives the function that answers the requests of one fake. */
export function openServer(parts: ServerParts): (request: WireRequest) => Promise<Answer> {
  const { provider, world, faults, requests } = parts;
  const meter = new Meter(world.kind, parts.limits);
  const answer = async (request: WireRequest, seen: Seen, route: Routed | null): Promise<Answer> => {
    const { fault, moments } = faults.take(seen.act);
    seen.fault = fault?.kind ?? null;
    for (const { stage, moment } of moments) if (stage === 'before') await moment();
    const answered = moments.filter(({ stage }) => stage === 'answered');
    const after = async (): Promise<void> => {
      for (const { moment } of answered) await moment();
    };
    const early = fault === null ? null : strike(fault, parts, request, null);
    if (fault?.kind === 'limited' && early !== null && typeof early === 'object') seen.answer = early.body;
    if (early !== null) return withAfter(finish(seen, early, {}), after);

    const violation = (text: string): void => {
      parts.violations.push(`${request.method} ${request.path}: ${text}`);
    };
    const { reply, spent, token } =
      route === null
        ? unknownPath(provider, violation)
        : answerRoute(parts, meter, request, route, violation);
    seen.token = token?.name ?? null;
    seen.answer = reply.body;
    for (const { stage, moment } of moments) if (stage === 'after') await moment();
    const headers = provider.headers(token, spent);
    const late = fault === null ? null : strike(fault, parts, request, reply);
    return withAfter(finish(seen, late ?? reply, headers), after);
  };
  return async (request) => {
    const route = findRoute(provider, request);
    const act = route?.found.act ?? 'other';
    const seen: Seen = {
      at: world.now(),
      act,
      method: request.method,
      path: request.path,
      query: request.query.toString(),
      headers: request.headers,
      body: request.text,
      token: null,
      status: null,
      answer: undefined,
      fault: null,
    };
    requests.push(seen);
    try {
      return await answer(request, seen, route);
    } catch (error) {
      // A moment of the test that failed, or a mistake here: it must not pass for a lost connection.
      parts.violations.push(`${request.method} ${request.path}: the fake failed: ${String(error)}`);
      throw error;
    } finally {
      parts.heard(seen);
    }
  };
}

function withAfter(answer: Answer, after: () => Promise<void>): Answer {
  return typeof answer === 'string' ? answer : { ...answer, after };
}

interface Answered {
  readonly reply: WireReply;
  readonly spent: Spent | null;
  readonly token: FakeToken | null;
}

function unknownPath(provider: Provider, violation: (text: string) => void): Answered {
  violation('the tracker has no such call, or our service must not make it');
  return { reply: provider.fail(404), spent: null, token: null };
}

function answerRoute(
  parts: ServerParts,
  meter: Meter,
  request: WireRequest,
  route: Routed,
  violation: (text: string) => void,
): Answered {
  const { provider, world } = parts;
  const { found, params } = route;
  const refused = provider.enter(request, violation);
  if (refused !== null) return { reply: refused, spent: null, token: null };
  const who = provider.who(request);
  const token = 'secret' in who ? who : null;
  if (token === null && found.open !== true) return { reply: who as WireReply, spent: null, token };
  const spent = token === null ? null : meter.count(token.secret, found.act, world.now());
  if (spent !== null && spent.over !== null) {
    const retry = String(Math.ceil(spent.retryMs / 1000));
    return { reply: provider.limited(spent.over, retry), spent, token };
  }
  for (const name of new Set(request.query.keys())) {
    if (found.query?.includes(name.replace(/\[\]$/, '')) !== true) violation(`unknown parameter ${name}`);
  }
  let body: Record<string, unknown> = {};
  if (found.fields === undefined) {
    if (request.text !== '') violation('a body where none is read');
  } else {
    if (!/^application\/(?:[\w.+-]*\+)?json\b/.test(request.headers['content-type'] ?? '')) {
      violation('the body is not said to be JSON');
      return { reply: provider.fail(415), spent, token };
    }
    const read = parseObject(request.text);
    if (read === undefined) return { reply: provider.fail(400, 'Problems parsing JSON'), spent, token };
    body = read;
    for (const name of Object.keys(body))
      if (!found.fields.includes(name)) violation(`unknown field ${name}`);
  }
  // Where no credential is needed none is looked at, so that the caller of an open route is of no account.
  const caller = token ?? NOBODY;
  return {
    reply: found.answer({ request, act: found.act, params, body, token: caller, violation }),
    spent,
    token,
  };
}

const NOBODY: FakeToken = {
  name: 'stranger',
  secret: '',
  user: { id: 0, login: '', name: '', email: '', bot: false },
  form: 'classic',
  access: {},
  scopes: [],
  state: 'active',
};

interface Routed {
  readonly found: Route;
  readonly params: readonly string[];
}

function findRoute(provider: Provider, request: WireRequest): Routed | null {
  if (!request.path.startsWith(provider.base) || !isDecodable(request.path)) return null;
  const path = request.path.slice(provider.base.length);
  for (const found of provider.routes) {
    if (found.method !== request.method) continue;
    const match = found.path.exec(path);
    if (match !== null) return { found, params: match.slice(1) };
  }
  return null;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function finish(
  seen: Seen,
  reply: WireReply | 'reset' | 'hang',
  headers: Readonly<Record<string, string>>,
): Answer {
  if (reply === 'reset' || reply === 'hang') return reply;
  seen.status = reply.status;
  const { body } = reply;
  if (Buffer.isBuffer(body))
    return { status: reply.status, headers: { ...headers, ...reply.headers }, bytes: body };
  const isText = typeof body === 'string';
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  const text = isText ? body : JSON.stringify(body);
  const bytes = Buffer.from(body === undefined ? '' : text);
  const typed = body === undefined ? {} : { 'content-type': type };
  return { status: reply.status, headers: { ...typed, ...headers, ...reply.headers }, bytes };
}
