import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCloud, lookOf, toApiUrl, toTarget } from '../../bin/channel/setup/address.ts';

test('addresses of pages are turned into those of the API, and those of projects into their names', () => {
  for (const [kind, entered, url] of [
    ['github', 'github.com', 'https://api.github.com'],
    ['github', 'https://www.github.com/acme/web', 'https://api.github.com'],
    ['github', 'https://api.github.com/', 'https://api.github.com'],
    ['github', 'https://acme.ghe.com/x', 'https://api.acme.ghe.com'],
    ['github', 'git.example.com', 'https://git.example.com/api/v3'],
    ['github', 'https://git.example.com/api/v3/', 'https://git.example.com/api/v3'],
    ['gitlab', 'gitlab.com', 'https://gitlab.com/api/v4'],
    ['gitlab', 'https://gitlab.example.com/api/v4/projects', 'https://gitlab.example.com/api/v4'],
    ['gitlab', 'https://example.com/gitlab/api/v4', 'https://example.com/gitlab/api/v4'],
    ['jira', 'acme.atlassian.net', 'https://acme.atlassian.net'],
    ['jira', 'https://acme.atlassian.net/browse/SEC-1', 'https://acme.atlassian.net'],
    ['jira', 'https://example.com/jira/browse/SEC-1', 'https://example.com/jira'],
    [
      'jira',
      'https://api.atlassian.com/ex/jira/11223344-aaaa',
      'https://api.atlassian.com/ex/jira/11223344-aaaa',
    ],
    ['jira', 'http://[', 'http://['],
  ] as const)
    assert.equal(toApiUrl(kind, entered), url, entered);
  for (const [kind, entered, target] of [
    ['github', 'acme/web', 'acme/web'],
    ['github', 'https://github.com/acme/web.git', 'acme/web'],
    ['github', 'https://github.com/acme/web/issues?q=1', 'acme/web'],
    ['gitlab', 'https://gitlab.com/group/sub/app/-/issues', 'group/sub/app'],
    ['gitlab', '1234', '1234'],
    ['jira', 'sec', 'SEC'],
    ['jira', 'https://acme.atlassian.net/browse/SEC-12', 'SEC'],
    ['jira', 'https://acme.atlassian.net/jira/software/projects/OPS/boards/1', 'OPS'],
  ] as const)
    assert.equal(toTarget(kind, entered), target, entered);
  assert.ok(isCloud('https://acme.atlassian.net') && !isCloud('https://example.com/jira'));
  assert.equal(lookOf('glpat-x')?.kind, 'gitlab');
  assert.equal(lookOf('anything'), null);
});
