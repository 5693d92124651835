import type { createCloudClient } from 'jira.js';
import type { z } from 'zod';
import { Secret } from '../../base/index.ts';
import { jiraWay, type ChannelOf, type JiraWay } from '../../channels/index.ts';
import type { WriteGuard } from '../../trackers/index.ts';
import {
  openOnLine,
  throughLibrary,
  toDocument,
  unreadable,
  type Line,
  type Transport,
} from '../transport/index.ts';
import { openCaller, toJiraClient, type JiraAnswer, type JiraCall } from './client.ts';
import { explain } from './schema.ts';

type Cloud = ReturnType<typeof createCloudClient>;

/** Ways is one call in both forms: through jira.js for the cloud, and by ourselves for Data Center, which jira.js does not speak. */
export interface Ways {
  readonly cloud: (jira: Cloud) => Promise<unknown>;
  readonly dataCenter: JiraCall;
}

/** JiraApi makes calls as one account; libraries get no credential, since the transport adds it. */
export interface JiraApi {
  readonly transport: Transport;
  readonly way: JiraWay;
  /** A read. */
  get<S extends z.ZodType>(schema: S, ways: Ways): Promise<z.output<S>>;
  /** A read with the headers of its answer. */
  head<S extends z.ZodType>(
    schema: S,
    ways: Ways,
  ): Promise<{ readonly document: z.output<S>; readonly headers: JiraAnswer['headers'] }>;
  /** A write: one request, and one status that says that it was done. */
  write<S extends z.ZodType>(status: 201 | 204, schema: S, ways: Ways): Promise<z.output<S>>;
}

/** openJiraApi makes one; nothing is loaded or sent before the first call. */
export function openJiraApi(
  line: Line,
  { apiBaseUrl, email }: Pick<ChannelOf<'jira'>['settings'], 'apiBaseUrl' | 'email'>,
  token: Secret,
  guard: WriteGuard,
): JiraApi {
  const way = jiraWay({ email });
  const authorization =
    way.api === 3
      ? `Basic ${Buffer.from(`${email}:${token.reveal()}`, 'utf8').toString('base64')}`
      : `Bearer ${token.reveal()}`;
  const transport = openOnLine(line, {
    apiBaseUrl,
    token,
    credential: { authorization: new Secret(authorization) },
    // Data Center takes a POST for a forged one of a browser without the second.
    headers: { accept: 'application/json', 'x-atlassian-token': 'no-check' },
    guard,
    explain,
  });
  const { host } = transport.base;
  const call = openCaller(transport);
  let made: Promise<Cloud> | null = null;

  async function answer(write: boolean, { cloud, dataCenter }: Ways): Promise<JiraAnswer> {
    if (way.api === 2) return call(dataCenter);
    made ??= import('jira.js').then(({ createCloudClient }) => createCloudClient(toJiraClient(call)));
    const jira = await made;
    return throughLibrary({ host, write }, async () => cloud(jira) as Promise<JiraAnswer>);
  }

  return {
    transport,
    way,
    get: async (schema, ways) => {
      const { body } = await answer(false, ways);
      return toDocument(schema, body, { host, write: false });
    },
    head: async (schema, ways) => {
      const { body, headers } = await answer(false, ways);
      return { document: toDocument(schema, body, { host, write: false }), headers };
    },
    write: async (status, schema, ways) => {
      const { status: given, body } = await answer(true, ways);
      if (given !== status)
        throw unreadable({ host, write: true }, `status ${given} where ${status} stands for done`);
      return toDocument(schema, body, { host, write: true });
    },
  };
}
