import type { IssueNotes, Issues, Projects, Users } from '@gitbeaker/rest';
import type { z } from 'zod';
import type { Secret } from '../../base/index.ts';
import type { WriteGuard } from '../../trackers/index.ts';
import {
  openOnLine,
  throughLibrary,
  toDocument,
  unreadable,
  type Line,
  type Transport,
} from '../transport/index.ts';
import { openRequester } from './requester.ts';
import { explain } from './schema.ts';

/** Gitlab are the resources that a channel uses. */
export interface Gitlab {
  readonly issues: Issues;
  readonly notes: IssueNotes;
  readonly projects: Projects;
  readonly users: Users;
}

/** GitlabApi makes calls as one account through Gitbeaker, which gets no credential: the transport adds it. */
export interface GitlabApi {
  readonly transport: Transport;
  /** A read. */
  get<S extends z.ZodType>(schema: S, call: (gitlab: Gitlab) => Promise<unknown>): Promise<z.output<S>>;
  /** A write, called with `showExpanded`: one request, and one status that says that it was done. */
  write<S extends z.ZodType>(
    status: 200 | 201,
    schema: S,
    call: (gitlab: Gitlab) => Promise<{ readonly status: number; readonly data: unknown }>,
  ): Promise<z.output<S>>;
}

/** openGitlabApi makes one; nothing is loaded or sent before the first call. */
export function openGitlabApi(line: Line, apiBaseUrl: string, token: Secret, guard: WriteGuard): GitlabApi {
  const transport = openOnLine(line, {
    apiBaseUrl,
    token,
    credential: { 'private-token': token },
    headers: { accept: 'application/json' },
    guard,
    explain,
  });
  const { host, href } = transport.base;
  let made: Promise<Gitlab> | null = null;

  async function gitlab(): Promise<Gitlab> {
    const { IssueNotes, Issues, Projects, Users } = await import('@gitbeaker/rest');
    const options = {
      host: href.replace(/\/api\/v4\/?$/, ''),
      queryTimeout: null, // the transport keeps the time
      requesterFn: ({ url }: { readonly url: string }) => openRequester(transport, url),
    } as unknown as ConstructorParameters<typeof Issues<false>>[0];
    return {
      issues: new Issues<false>(options),
      notes: new IssueNotes<false>(options),
      projects: new Projects<false>(options),
      users: new Users<false>(options),
    };
  }

  async function reply<T>(write: boolean, call: (gitlab: Gitlab) => Promise<T>): Promise<T> {
    made ??= gitlab();
    const one = await made;
    return throughLibrary({ host, write }, async () => call(one));
  }

  return {
    transport,
    get: async (schema, call) => toDocument(schema, await reply(false, call), { host, write: false }),
    write: async (status, schema, call) => {
      const answer = await reply(true, call);
      if (answer.status !== status)
        throw unreadable({ host, write: true }, `status ${answer.status} where ${status} stands for done`);
      return toDocument(schema, answer.data, { host, write: true });
    },
  };
}
