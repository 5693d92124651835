import type { ChannelOf, GithubSettings, GitlabSettings, JiraSettings } from '../../src/channels/index.ts';

const KEPT = {
  id: 'channelchannelch',
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
} as const;
const COMMON = { labels: ['security'], dailyCap: 20, firstRunSummary: true } as const;

/** githubChannel is a channel of GitHub as it is kept. */
export function githubChannel(settings: Partial<GithubSettings> = {}): ChannelOf<'github'> {
  const standard = { ...COMMON, apiBaseUrl: 'https://api.github.com', defaultRepo: 'acme/inbox' };
  return {
    ...KEPT,
    kind: 'github',
    name: 'hub',
    settings: { ...standard, allowedTargets: [], ...settings },
  };
}

/** gitlabChannel is a channel of GitLab as it is kept. */
export function gitlabChannel(settings: Partial<GitlabSettings> = {}): ChannelOf<'gitlab'> {
  const standard = { ...COMMON, apiBaseUrl: 'https://gitlab.com/api/v4', defaultProject: 'acme/inbox' };
  return {
    ...KEPT,
    kind: 'gitlab',
    name: 'lab',
    settings: { ...standard, allowedTargets: [], ...settings },
  };
}

/** jiraChannel is a channel of Jira as it is kept. */
export function jiraChannel(settings: Partial<JiraSettings> = {}): ChannelOf<'jira'> {
  return {
    ...KEPT,
    kind: 'jira',
    name: 'board',
    settings: {
      ...COMMON,
      apiBaseUrl: 'https://example.atlassian.net',
      email: 'bot@example.com',
      projectKey: 'SEC',
      issueType: 'Task',
      doneTransitionId: null,
      ...settings,
    },
  };
}
