import type { Octokit } from '@octokit/rest';
import type { z } from 'zod';
import { Secret } from '../../base/index.ts';
import type { WriteGuard } from '../../trackers/index.ts';
import {
  openOnLine,
  throughLibrary,
  toDocument,
  toFetch,
  unreadable,
  type Line,
  type Transport,
} from '../transport/index.ts';
import { explain } from './schema.ts';

/** GithubApi makes calls as one account through Octokit, which gets no credential: the transport adds it. */
export interface GithubApi {
  readonly transport: Transport;
  /** A read. */
  get<S extends z.ZodType>(schema: S, call: (octokit: Octokit) => Promise<Reply>): Promise<z.output<S>>;
  /** A read with the headers of its answer. */
  head<S extends z.ZodType>(
    schema: S,
    call: (octokit: Octokit) => Promise<Reply>,
  ): Promise<{ readonly document: z.output<S>; readonly headers: Readonly<Record<string, unknown>> }>;
  /** A write: one request, and one status that says that it was done. */
  write<S extends z.ZodType>(
    status: 200 | 201,
    schema: S,
    call: (octokit: Octokit) => Promise<Reply>,
  ): Promise<z.output<S>>;
}

/** Reply is what is used of Octokit's answers. */
export interface Reply {
  readonly status: number;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** openGithubApi makes one; nothing is loaded or sent before the first call. */
export function openGithubApi(line: Line, apiBaseUrl: string, token: Secret, guard: WriteGuard): GithubApi {
  const transport = openOnLine(line, {
    apiBaseUrl,
    token,
    credential: { authorization: new Secret(`Bearer ${token.reveal()}`) },
    headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
    guard,
    explain,
  });
  const { host, href } = transport.base;
  let made: Promise<Octokit> | null = null;

  /** Octokit writes to the console unless it is given a log; its faults come back to us anyway. */
  const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  async function octokit(): Promise<Octokit> {
    const { Octokit } = await import('@octokit/rest');
    return new Octokit({
      baseUrl: href.replace(/\/$/, ''),
      log: silent,
      request: { fetch: toFetch(transport), log: silent },
    });
  }

  async function reply(write: boolean, call: (octokit: Octokit) => Promise<Reply>): Promise<Reply> {
    made ??= octokit();
    const one = await made;
    return throughLibrary({ host, write }, async () => call(one));
  }

  return {
    transport,
    get: async (schema, call) => {
      const { data } = await reply(false, call);
      return toDocument(schema, data, { host, write: false });
    },
    head: async (schema, call) => {
      const { data, headers } = await reply(false, call);
      return { document: toDocument(schema, data, { host, write: false }), headers };
    },
    write: async (status, schema, call) => {
      const answer = await reply(true, call);
      if (answer.status !== status)
        throw unreadable({ host, write: true }, `status ${answer.status} where ${status} stands for done`);
      return toDocument(schema, answer.data, { host, write: true });
    },
  };
}

function nothing(): void {
  // said elsewhere
}
