import type { Client } from 'jira.js/core';
import { unreadable, type Transport } from '../transport/index.ts';

/** Calls that Jira answers without a body. */
const NO_CONTENT = 204;

/** JiraCall is one call, by its path under the base. */
export interface JiraCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | undefined;
  readonly url: string;
  readonly searchParams?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** JiraAnswer is an answer of 200 to 299. */
export interface JiraAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Undefined where there is no body. */
  readonly body: unknown;
}

/** openCaller makes a function that calls Jira's API, whichever version the path names. */
export function openCaller(transport: Transport): (call: JiraCall) => Promise<JiraAnswer> {
  const root = transport.base.href.replace(/\/$/, '');
  return async ({ method = 'GET', url, searchParams = {}, body }) => {
    const query = new URLSearchParams(
      Object.entries(searchParams).flatMap(([name, value]): [string, string][] =>
        value === undefined || value === null
          ? []
          : [[name, Array.isArray(value) ? value.join(',') : String(value as string | number)]],
      ),
    ).toString();
    const { status, headers, text } = await transport.send({
      method,
      url: `${root}${url}${query === '' ? '' : `?${query}`}`,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (status === NO_CONTENT || text === '') return { status, headers, body: undefined };
    try {
      return { status, headers, body: JSON.parse(text) };
    } catch (error) {
      throw unreadable({ host: transport.base.host, write: method !== 'GET' }, 'no JSON', error);
    }
  };
}

/**
 * toJiraClient dresses our calls as the client that jira.js drives its functions with, in the place of its own, which would hold the
 * credential, follow redirects and repeat calls. Answers are checked by our own schemas, against what is used of them.
 */
export function toJiraClient(call: (call: JiraCall) => Promise<JiraAnswer>): Client {
  return {
    sendRequest: async <T>({
      method = 'GET',
      url,
      searchParams,
      body,
    }: Parameters<Client['sendRequest']>[0]) => {
      if (method !== 'GET' && method !== 'POST' && method !== 'PUT')
        throw new Error(`a channel makes no call of ${method}`);
      const answer = await call({ method, url, searchParams, body });
      return answer as T;
    },
  };
}
