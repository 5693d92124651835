import type { Fake } from './start.ts';

/** exampleChannel is the document of a channel that files in a fake, as YAML, with the fake's own token in it. */
export function exampleChannel({ kind, url, state, tokens }: Fake): string {
  const target = state.projects[0]?.path ?? '';
  const { secret, user } = tokens.good;
  const head = (family: string): string[] => [
    `kind: ${family}`,
    `name: fake ${kind}`,
    'subscriptions: [critical_finding]',
    `apiBaseUrl: ${url}`,
  ];
  switch (kind) {
    case 'github':
    case 'github-enterprise':
      return lines(...head('github'), `token: ${secret}`, `defaultRepo: ${target}`, 'labels: [security]');
    case 'gitlab':
      return lines(...head('gitlab'), `token: ${secret}`, `defaultProject: ${target}`, 'labels: [security]');
    case 'jira-cloud':
    case 'jira-gateway':
      return lines(...head('jira'), `email: ${user.email}`, `apiToken: ${secret}`, ...board(target));
    case 'jira-datacenter':
      return lines(...head('jira'), `bearerToken: ${secret}`, ...board(target));
  }
}

function board(key: string): string[] {
  return [`projectKey: ${key}`, 'issueType: Task', `doneTransitionId: '31'`, 'labels: [security]'];
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
