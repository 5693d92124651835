import { openGithubTracker } from '../../src/adapters/github/index.ts';
import { openGitlabTracker } from '../../src/adapters/gitlab/index.ts';
import { openJiraTracker } from '../../src/adapters/jira/index.ts';
import { openWriterQueues } from '../../src/adapters/transport/index.ts';
import { Secret } from '../../src/base/index.ts';
import type { ChannelOf, TrackerChannel } from '../../src/channels/index.ts';
import type { IssueTracker, WriteGuard } from '../../src/trackers/index.ts';
import { FakeClock, type Fake, type TokenName } from '../../fakes/index.ts';

/** TrackerOptions say how a tracker of a test calls a fake. */
export interface TrackerOptions {
  readonly clock?: FakeClock;
  readonly token?: TokenName;
  readonly guard?: WriteGuard;
  /** Milliseconds of real time that a call waits for an answer. */
  readonly timeoutMs?: number;
  readonly doneTransitionId?: string | null;
  readonly labels?: readonly string[];
}

/** firstTarget is where the channel of a fake files by default. */
export function firstTarget(fake: Fake): string {
  return fake.state.projects[0]?.path ?? '';
}

/** channelOf gives a channel that points to a fake. */
export function channelOf(
  fake: Fake,
  { doneTransitionId = '31', labels = ['security'] }: TrackerOptions = {},
): TrackerChannel {
  const common = { apiBaseUrl: fake.url, labels, dailyCap: 20, firstRunSummary: true };
  const routed = { allowedTargets: [] };
  const target = firstTarget(fake);
  switch (fake.kind) {
    case 'github':
    case 'github-enterprise':
      return channel('github', { ...common, ...routed, defaultRepo: target });
    case 'gitlab':
      return channel('gitlab', { ...common, ...routed, defaultProject: target });
    default: {
      const email = fake.kind === 'jira-datacenter' ? null : fake.tokens.good.user.email;
      return channel('jira', { ...common, email, projectKey: target, issueType: 'Task', doneTransitionId });
    }
  }
}

function channel<K extends 'github' | 'gitlab' | 'jira'>(
  kind: K,
  settings: ChannelOf<K>['settings'],
): ChannelOf<K> {
  return {
    id: 'channel1',
    kind,
    name: `fake ${kind}`,
    enabled: true,
    subscriptions: ['critical_finding'],
    createdAt: 0,
    place: 1,
    version: '1',
    updatedAt: 0,
    updatedBy: null,
    firstRunAt: null,
    notBefore: null,
    capWarnedAt: null,
    lastError: null,
    lastErrorAt: null,
    fault: null,
    settings,
  };
}

/** openTracker opens the service's own tracker on a fake. Waiting takes no time: the clock of the test moves on instead. */
export function openTracker(fake: Fake, options: TrackerOptions = {}): IssueTracker {
  const { clock = new FakeClock(), token = 'good', guard = () => true, timeoutMs = 5000 } = options;
  const time = { now: () => clock.now(), monotonic: () => clock.now() };
  const wait = (ms: number): Promise<void> => {
    clock.advance(ms);
    return Promise.resolve();
  };
  const line = {
    rules: { testLoopback: true, privateNetworks: 'allow' as const, denied: [] },
    queues: openWriterQueues({ clock: time, wait }),
    clock: time,
    userAgent: 'ipo-test/0',
    timeoutMs,
  };
  const made = channelOf(fake, options);
  const secret = new Secret(fake.tokens[token].secret);
  switch (made.kind) {
    case 'github':
      return openGithubTracker(made, secret, guard, line);
    case 'gitlab':
      return openGitlabTracker(made, secret, guard, line);
    case 'jira':
      return openJiraTracker(made, secret, guard, line);
  }
}
