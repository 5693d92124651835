/** A document of each kind with nothing but what it needs. */
export const DOCUMENTS = {
  github: {
    kind: 'github',
    name: 'hub',
    apiBaseUrl: 'https://api.github.com',
    token: 'github_pat_canary_1',
    defaultRepo: 'example/app',
  },
  gitlab: {
    kind: 'gitlab',
    name: 'lab',
    apiBaseUrl: 'https://gitlab.com/api/v4',
    token: 'glpat-canary-2',
    defaultProject: 'group/sub/project',
  },
  jira: {
    kind: 'jira',
    name: 'board',
    apiBaseUrl: 'https://example.atlassian.net',
    email: 'bot@example.com',
    apiToken: 'ATATT-canary-3',
    projectKey: 'SEC',
  },
  email: {
    kind: 'email',
    name: 'mail',
    host: 'mail.example.com',
    username: 'ipo',
    password: 'canary mail "pass"',
    from: 'ipo@example.com',
    to: ['ops@example.com'],
  },
  slack: { kind: 'slack', name: 'chat', webhookUrl: 'https://hooks.slack.com/services/T0/B0/canary5' },
  teams: { kind: 'teams', name: 'teams', webhookUrl: 'https://example.webhook.office.com/canary6' },
  webhook: { kind: 'webhook', name: 'hook', webhookUrl: 'https://hook.example.com/in?key=canary7' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** dataCenter is a Jira of one's own. */
export const dataCenter = {
  kind: 'jira',
  name: 'own board',
  apiBaseUrl: 'https://example.com/jira',
  bearerToken: 'canary-pat-4',
  projectKey: 'OPS',
} as const;

/** SECRETS are the secrets in the documents. */
export const SECRETS: readonly string[] = [
  DOCUMENTS.github.token,
  DOCUMENTS.gitlab.token,
  DOCUMENTS.jira.apiToken,
  dataCenter.bearerToken,
  DOCUMENTS.email.password,
  DOCUMENTS.slack.webhookUrl,
  DOCUMENTS.teams.webhookUrl,
  DOCUMENTS.webhook.webhookUrl,
];
