import type { TestContext } from 'node:test';
import { startFake, type Fake, type FakeOptions, type TokenName, type FakeKind } from '../../fakes/index.ts';
import { openGithubTracker } from '../../src/adapters/github/index.ts';
import { openGitlabTracker } from '../../src/adapters/gitlab/index.ts';
import { openJiraTracker } from '../../src/adapters/jira/index.ts';
import type { Line } from '../../src/adapters/transport/index.ts';
import { Secret } from '../../src/base/index.ts';
import type { ChannelOf, GithubSettings, GitlabSettings, JiraSettings } from '../../src/channels/index.ts';
import type { Block, IssueTracker, WriteGuard } from '../../src/trackers/index.ts';
import { stillLine } from './transport/loopback.ts';

/** TrackerOptions say what differs from a channel as it should be. */
export interface TrackerOptions {
  readonly token?: TokenName;
  readonly settings?: Partial<GithubSettings & GitlabSettings & JiraSettings>;
  readonly guard?: WriteGuard;
  readonly line?: Partial<Line>;
}

/** start starts a fake that ends with the test. */
export async function start(t: TestContext, kind: FakeKind, options: FakeOptions = {}): Promise<Fake> {
  const fake = await startFake(kind, options);
  t.after(async () => fake.close());
  return fake;
}

/** targetOf is where a fake's channel files. */
export function targetOf(fake: Fake): string {
  return fake.state.projects[0]?.path ?? '';
}

/** openTracker opens a channel's tracker on a fake. */
export function openTracker(fake: Fake, options: TrackerOptions = {}): IssueTracker {
  const { token = 'good', settings = {}, guard = () => true, line = {} } = options;
  const own = fake.tokens[token];
  return openAt(fake.kind, own.secret, {
    settings: { apiBaseUrl: fake.url, email: own.user.email, ...settings },
    guard,
    line,
  });
}

/** openAt opens a tracker of a kind with any credential and settings. */
export function openAt(
  kind: FakeKind,
  secret: string,
  { settings = {}, guard = () => true, line = {} }: Omit<TrackerOptions, 'token'>,
): IssueTracker {
  const shared = { labels: [], dailyCap: 20, firstRunSummary: true, allowedTargets: [], apiBaseUrl: '' };
  const credential = new Secret(secret);
  const whole = stillLine(line);
  if (kind === 'gitlab') {
    const channel = { kind: 'gitlab', settings: { ...shared, defaultProject: 'acme/shop', ...settings } };
    return openGitlabTracker(channel as unknown as ChannelOf<'gitlab'>, credential, guard, whole);
  }
  if (kind === 'github' || kind === 'github-enterprise') {
    const channel = { kind: 'github', settings: { ...shared, defaultRepo: 'acme/shop', ...settings } };
    return openGithubTracker(channel as unknown as ChannelOf<'github'>, credential, guard, whole);
  }
  const channel = {
    kind: 'jira',
    settings: {
      ...shared,
      projectKey: 'SEC',
      issueType: 'Task',
      doneTransitionId: '31',
      ...settings,
      ...(kind === 'jira-datacenter' && { email: null }),
    },
  };
  return openJiraTracker(channel as unknown as ChannelOf<'jira'>, credential, guard, whole);
}

/** MARKERS are two markers as the service makes them. */
export const MARKERS = ['ipo-1-abcdefghijklmnopqrstuvwx23', 'ipo-1-zzzzzzzzzzzzzzzzzzzzzzzz45'] as const;

/** paragraph is a block of one run of text. */
export function paragraph(text: string): Block {
  return { kind: 'paragraph', content: [{ kind: 'text', text }] };
}

/** BODY is a text with one block of each kind. */
export const BODY: readonly Block[] = [
  { kind: 'heading', level: 2, content: [{ kind: 'text', text: 'CVE-2026-1234 in the shop' }] },
  {
    kind: 'paragraph',
    content: [
      { kind: 'text', text: 'Fixed in ' },
      { kind: 'code', text: '3.0.14' },
      { kind: 'text', text: ', see ' },
      { kind: 'link', text: 'the advisory', href: 'https://example.com/a_(b)?x=1' },
    ],
  },
  { kind: 'list', items: [[{ kind: 'text', text: 'one' }], [{ kind: 'code', text: 'two' }]] },
  {
    kind: 'table',
    header: [[{ kind: 'text', text: 'Package' }], [{ kind: 'text', text: 'Installed' }]],
    rows: [[[{ kind: 'code', text: 'libssl3' }], [{ kind: 'text', text: '' }]]],
  },
  { kind: 'code', text: 'first line\n  second line' },
];
