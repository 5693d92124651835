import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TrackerChannel } from '../../src/channels/index.ts';
import { routeIssue } from '../../src/trackers/route.ts';
import { githubChannel, gitlabChannel, jiraChannel } from './channels.ts';

const REPOSITORY = 'juice-shop/juice-shop';

/** Labels that name a repository on github.com, and which. */
const GITHUB: Readonly<Record<string, string>> = {
  'https://github.com/juice-shop/juice-shop': REPOSITORY,
  'https://github.com/juice-shop/juice-shop/': REPOSITORY,
  'https://github.com/juice-shop/juice-shop.git': REPOSITORY,
  'https://github.com/juice-shop/juice-shop.git/': REPOSITORY,
  'https://github.com/juice-shop/juice-shop.GIT': REPOSITORY,
  '  https://github.com/juice-shop/juice-shop\n': REPOSITORY,
  'HTTPS://GitHub.COM/juice-shop/juice-shop': REPOSITORY,
  'http://github.com/juice-shop/juice-shop': REPOSITORY,
  'http://github.com:80/juice-shop/juice-shop': REPOSITORY,
  'https://github.com:443/juice-shop/juice-shop': REPOSITORY,
  'https://github.com/juice-shop/juice-shop/tree/main/docker': REPOSITORY,
  'https://github.com/juice-shop/juice-shop/blob/v1.0/Dockerfile': REPOSITORY,
  'https://github.com/juice-shop/juice-shop/releases/tag/v1': REPOSITORY,
  'https://github.com/juice-shop/juice-shop#readme': REPOSITORY,
  'https://github.com/juice-shop/juice-shop.git#main:docker': REPOSITORY,
  'https://github.com/juice-shop/juice-shop?tab=readme': REPOSITORY,
  'https://github.com/juice-shop/juice-shop?x=https://evil.example/a/b': REPOSITORY,
  'git+https://github.com/juice-shop/juice-shop': REPOSITORY,
  'git+https://github.com/juice-shop/juice-shop.git': REPOSITORY,
  'git+ssh://git@github.com/juice-shop/juice-shop.git': REPOSITORY,
  'ssh://git@github.com/juice-shop/juice-shop.git': REPOSITORY,
  'ssh://github.com/juice-shop/juice-shop': REPOSITORY,
  'ssh://git@github.com:22/juice-shop/juice-shop.git': REPOSITORY,
  'git@github.com:juice-shop/juice-shop.git': REPOSITORY,
  'git@github.com:juice-shop/juice-shop': REPOSITORY,
  'git@GitHub.com:juice-shop/juice-shop': REPOSITORY,
  'https://github.com/Acme/Web': 'Acme/Web',
  'https://github.com/a/b': 'a/b',
  'https://github.com/acme/.github': 'acme/.github',
  'https://github.com/acme/web.js': 'acme/web.js',
  'https://github.com/acme/a_b-c.d': 'acme/a_b-c.d',
  'https://ｇｉｔｈｕｂ.com/acme/web': 'acme/web', // IDNA reads the same host
};

/** Labels that lead nowhere on github.com. */
const REFUSED: readonly string[] = [
  '',
  ' ',
  'juice-shop',
  'acme/web',
  'github.com/acme/web',
  '//github.com/acme/web',
  'https:github.com/acme/web',
  'https:/github.com/acme/web',
  'https:///github.com/acme/web',
  'https:\\\\github.com\\acme\\web',
  'https://github.com\\acme\\web',
  'https://github.com/acme\\web',
  'https://github.com',
  'https://github.com/',
  'https://github.com/acme',
  'https://github.com/acme/',
  'https://github.com//acme/web',
  'https://github.com/acme//web',
  'https://github.com/acme/web//',
  'https://github.com/./acme/web',
  'https://github.com/../acme/web',
  'https://github.com/acme/..',
  'https://github.com/acme/.',
  'https://github.com/acme/../web',
  'https://github.com/acme/...git',
  'https://github.com/acme/.git',
  'https://github.com/acme/web.git.git',
  'https://github.com/acme.git/web',
  'https://github.com/acme/%2e%2e',
  'https://github.com/acme/%2E%2E/other',
  'https://github.com/acme%2fweb',
  'https://github.com/acme%2Fweb/x',
  'https://github.com/acme/web%00',
  'https://github.com/acme/web%20x',
  'https://github.com/acme/we b',
  'https://github.com/acme/web\nhttps://github.com/evil/x',
  'https://git\thub.com/acme/web',
  'https://github.com/acme/web\u0000',
  'https://github.com/acme/we\u200bb',
  'https://github.com/acme/\u202eweb',
  'https://github.com/аcme/web', // a Cyrillic letter
  'https://github.com/acme/wéb',
  'https://github.com/acme/web@main',
  'https://github.com/acme/web:latest',
  'https://github.com/acme/web;x',
  'https://github.com/@acme/web',
  'https://github.com/-acme/web',
  'https://github.com/acme/-',
  'https://github.com/acme/$(id)',
  'https://github.com/acme/`id`',
  'https://github.com/acme/<b>',
  'https://api.github.com/acme/web',
  'https://api.github.com/repos/acme/web',
  'https://www.github.com/acme/web',
  'https://gist.github.com/acme/web',
  'https://raw.githubusercontent.com/acme/web/main/x',
  'https://github.com./acme/web',
  'https://.github.com/acme/web',
  'https://github.com.evil.example/acme/web',
  'https://evilgithub.com/acme/web',
  'https://evil.example/github.com/acme/web',
  'https://evil.example/https://github.com/acme/web',
  'https://evil.example?https://github.com/acme/web',
  'https://evil.example#https://github.com/acme/web',
  'https://github.com@evil.example/acme/web',
  'https://github.com:443@evil.example/acme/web',
  'https://evil.example@github.com/acme/web',
  'https://user@github.com/acme/web',
  'https://user:pass@github.com/acme/web',
  'https://:@github.com/acme/web',
  'https://@github.com/acme/web',
  'https://git@github.com/acme/web',
  'https://a@b@github.com/acme/web',
  'https://github%2ecom/acme/web',
  'https://github%00.com/acme/web',
  'https://gıthub.com/acme/web', // a letter without its dot
  'https://githuƅ.com/acme/web',
  'https://github.com:8443/acme/web',
  'https://github.com:80/acme/web',
  'http://github.com:443/acme/web',
  'https://github.com:0/acme/web',
  'https://github.com:99999/acme/web',
  'https://github.com:/acme:web',
  'ftp://github.com/acme/web',
  'file://github.com/acme/web',
  'file:///acme/web',
  'git://github.com/acme/web',
  'javascript://github.com/acme/web',
  'data:text/plain,https://github.com/acme/web',
  'view-source:https://github.com/acme/web',
  'git+git+https://github.com/acme/web',
  'git+ftp://github.com/acme/web',
  'ssh://root@github.com/acme/web',
  'ssh://git:x@github.com/acme/web',
  'ssh://git@git@github.com/acme/web',
  'ssh://git@github.com:2222/acme/web',
  'ssh://git@evil.example/acme/web',
  'ssh://-oProxyCommand=x@github.com/acme/web',
  'git@evil.example:acme/web.git',
  'git@github.com:/acme/web.git',
  'git@github.com:../acme/web.git',
  'git@github.com:22/acme',
  'git@github.com:acme',
  'git@github.com:acme/web.git.git',
  'root@github.com:acme/web.git',
  'git@github.com@evil.example:acme/web',
  'git@evil.example:github.com:acme/web',
  'git@github.com:evil.example/../web',
  'https://127.0.0.1/acme/web',
  'https://[::1]/acme/web',
  'https://2130706433/acme/web',
  `https://github.com/${'a'.repeat(101)}/web`,
  `https://github.com/acme/${'a'.repeat(101)}`,
  `https://github.com/acme/web/${'a'.repeat(1000)}`,
  '“https://github.com/acme/web”',
  '"https://github.com/acme/web"',
  '<https://github.com/acme/web>',
  '[web](https://github.com/acme/web)',
  'null',
  'undefined',
  '{}',
];

test('every form of a label leads to the repository that it names on the own host, or to the default: no misroute', () => {
  for (const [label, target] of Object.entries(GITHUB))
    assert.deepEqual(routeIssue(githubChannel(), label), { target, by: 'label', refused: null }, label);
  // Two steps are what is taken, whatever they are for.
  const odd = new Map([['git@github.com:22/acme', '22/acme']]);
  for (const label of REFUSED) {
    const { target, by } = routeIssue(githubChannel(), label);
    assert.equal(target, odd.get(label) ?? 'acme/inbox', label);
    assert.equal(by, odd.has(label) ? 'label' : 'default', label);
  }
  const forms = new Set([...Object.keys(GITHUB), ...REFUSED]);
  assert.equal(forms.size, Object.keys(GITHUB).length + REFUSED.length);
  assert.ok(forms.size >= 120, `${forms.size} forms`);
});

const label = (channel: TrackerChannel, source: string): string | null => {
  const routed = routeIssue(channel, source);
  return routed.by === 'label' ? routed.target : null;
};

test('a hosted tenant is compared without the leading api., an Enterprise Server as it is', () => {
  const tenant = githubChannel({ apiBaseUrl: 'https://api.acme.ghe.com' });
  assert.equal(label(tenant, 'https://acme.ghe.com/team/app'), 'team/app');
  assert.equal(label(tenant, 'https://api.acme.ghe.com/team/app'), null);
  assert.equal(label(tenant, 'https://github.com/team/app'), null);
  const server = githubChannel({ apiBaseUrl: 'https://api.example.com/api/v3' });
  assert.equal(label(server, 'https://api.example.com/team/app'), 'team/app');
  assert.equal(label(server, 'https://example.com/team/app'), null);
  const port = githubChannel({ apiBaseUrl: 'https://git.example.com:8443/api/v3' });
  assert.equal(label(port, 'https://git.example.com:8443/team/app'), 'team/app');
  assert.equal(label(port, 'https://git.example.com/team/app'), null);
  assert.equal(label(port, 'git@git.example.com:team/app.git'), 'team/app');
});

test('GitLab takes the whole path, up to the pages of the project', () => {
  const lab = gitlabChannel();
  for (const [source, target] of [
    ['https://gitlab.com/group/app', 'group/app'],
    ['https://gitlab.com/group/sub/deep/app.git', 'group/sub/deep/app'],
    ['https://gitlab.com/group/sub/app/-/tree/main/docker', 'group/sub/app'],
    ['git@gitlab.com:group/sub/app.git', 'group/sub/app'],
    ['ssh://git@gitlab.com/group/sub/app.git', 'group/sub/app'],
    ['https://gitlab.com/group', null],
    ['https://gitlab.com/1234', null],
    ['https://gitlab.com/-/app', null],
    ['https://gitlab.com/group/-/app', null],
    ['https://gitlab.com/group/../app', null],
    ['https://gitlab.com/group%2Fapp', null],
    ['https://gitlab.com/group/a.git/app', null],
    [`https://gitlab.com/${'g/'.repeat(21)}app`, null],
    ['https://api.gitlab.com/group/app', null],
    ['https://github.com/group/app', null],
  ] as const)
    assert.equal(label(lab, source), target, source);
});

test('an instance below a root of its own has its projects only there', () => {
  const lab = gitlabChannel({ apiBaseUrl: 'https://example.com/gitlab/api/v4' });
  assert.equal(label(lab, 'https://example.com/gitlab/group/app'), 'group/app');
  assert.equal(label(lab, 'https://example.com/group/app'), null);
  assert.equal(label(lab, 'https://example.com/gitlabx/group/app'), null);
  assert.equal(label(lab, 'git@example.com:group/app.git'), 'group/app');
});

test('Jira always uses its project', () => {
  for (const source of [null, 'https://example.atlassian.net/browse/OPS', ...Object.keys(GITHUB)])
    assert.deepEqual(routeIssue(jiraChannel(), source), { target: 'SEC', by: 'default', refused: null });
});

test('allowedTargets narrows where a label leads, and says so', () => {
  const channel = githubChannel({ allowedTargets: ['acme/*', 'team/app'] });
  assert.equal(label(channel, 'https://github.com/Acme/web'), 'Acme/web');
  assert.equal(label(channel, 'https://github.com/team/app'), 'team/app');
  for (const source of ['https://github.com/evil/public', 'https://github.com/team/app2'])
    assert.deepEqual(routeIssue(channel, source), {
      target: 'acme/inbox',
      by: 'default',
      refused: 'not_allowed',
    });
  assert.equal(routeIssue(channel, 'https://evil.example/acme/web').refused, 'other_host');
  assert.equal(routeIssue(channel, 'acme').refused, 'not_a_repository');
  assert.equal(routeIssue(channel, null).refused, null);
});

test('whatever stands in a label, the target is the default or a clean path that the label holds', () => {
  const pieces = fc.constantFrom(
    ...[
      'https://',
      'http://',
      'ssh://',
      'git@',
      'git+',
      'github.com',
      'evil.example',
      '/',
      ':',
      '@',
      '.',
      '..',
    ],
    ...['acme', 'web', '.git', '%2f', '\\', '#', '?', '\u0000', '\n', ' ', '-', 'ｇ', '443', '[::1]'],
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces, { maxLength: 14 }).map((all) => all.join('')),
      ),
      (source) => {
        const { target, by } = routeIssue(githubChannel(), source);
        if (by === 'default') return target === 'acme/inbox';
        return (
          /^[\w.][\w.-]*\/[\w.][\w.-]*$/.test(target) &&
          source.includes(target) &&
          /github\.com|ｇ/i.test(source)
        );
      },
    ),
    { numRuns: 3000, seed: 4 },
  );
});
