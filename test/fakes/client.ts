import type { Fake, TokenName } from '../../fakes/index.ts';

/** Reply is an answer of a fake as a test looks at it. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body where it is JSON; undefined where it is not. */
  readonly json: Readonly<Record<string, unknown>> & readonly Readonly<Record<string, unknown>>[];
}

/** Speak calls a fake as a client with one of its tokens would. */
export type Speak = (method: string, path: string, body?: unknown) => Promise<Reply>;

/** speakTo gives such a client; paths are beneath the fake's `url`, or whole addresses. */
export function speakTo(
  fake: Fake,
  name: TokenName | null = 'good',
  more: Readonly<Record<string, string>> = {},
): Speak {
  return async (method, path, body) => {
    const token = name === null ? null : fake.tokens[name];
    const basic = fake.kind === 'jira-cloud' || fake.kind === 'jira-gateway';
    const pair = Buffer.from(`${token?.user.email}:${token?.secret}`).toString('base64');
    const authorization = basic ? `Basic ${pair}` : `Bearer ${token?.secret}`;
    const response = await fetch(path.startsWith('http') ? path : `${fake.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'user-agent': 'ipo-test',
        ...(token === null ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) as Reply['json'] };
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Wording is how one kind of tracker writes the calls that all of them have. */
export interface Wording {
  readonly self: string;
  readonly project: string;
  readonly list: string;
  readonly create: readonly [path: string, body: unknown];
  readonly issue: (number: number) => string;
  readonly comments: (number: number) => string;
  readonly comment: readonly [path: (number: number) => string, body: unknown];
  readonly close: readonly [method: string, path: (number: number) => string, body: unknown];
}

/** adf makes a structured document of one paragraph. */
export function adf(text: string): Record<string, unknown> {
  return { version: 1, type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] };
}

/** wordingOf gives the calls of a fake, for its first project. */
export function wordingOf({ kind }: Fake): Wording {
  if (kind === 'gitlab') {
    const at = '/projects/acme%2Fshop';
    const issue = (number: number): string => `${at}/issues/${number}`;
    const notes = (number: number): string => `${issue(number)}/notes`;
    return {
      self: '/user',
      project: at,
      list: `${at}/issues?scope=created_by_me`,
      create: [`${at}/issues`, { title: 'A finding', description: 'What it is', labels: ['security'] }],
      issue,
      comments: notes,
      comment: [notes, { body: 'It is gone' }],
      close: ['PUT', issue, { state_event: 'close' }],
    };
  }
  if (kind === 'github' || kind === 'github-enterprise') {
    const at = '/repos/acme/shop';
    const issue = (number: number): string => `${at}/issues/${number}`;
    const comments = (number: number): string => `${issue(number)}/comments`;
    return {
      self: '/user',
      project: at,
      list: `${at}/issues?state=all&creator=ipo-bot&since=2020-01-01T00:00:00Z`,
      create: [`${at}/issues`, { title: 'A finding', body: 'What it is', labels: ['security'] }],
      issue,
      comments,
      comment: [comments, { body: 'It is gone' }],
      close: ['PATCH', issue, { state: 'closed', state_reason: 'completed' }],
    };
  }
  const data = kind === 'jira-datacenter';
  const at = `/rest/api/${data ? 2 : 3}`;
  const text = (words: string): unknown => (data ? words : adf(words));
  const comments = (number: number): string => `${at}/issue/SEC-${number}/comment`;
  const fields = {
    project: { key: 'SEC' },
    issuetype: { name: 'Task' },
    summary: 'A finding',
    description: text('What it is'),
    labels: ['security', 'ipo-1-mark'],
  };
  return {
    self: `${at}/myself`,
    project: `${at}/project/SEC`,
    list: `${at}/search${data ? '' : '/jql'}?jql=${encodeURIComponent('project = "SEC" AND labels = "ipo-1-mark"')}&fields=labels,creator`,
    create: [`${at}/issue`, { fields }],
    issue: (number) => `${at}/issue/SEC-${number}`,
    comments,
    comment: [comments, { body: text('It is gone') }],
    close: ['POST', (number) => `${at}/issue/SEC-${number}/transitions`, { transition: { id: '31' } }],
  };
}
