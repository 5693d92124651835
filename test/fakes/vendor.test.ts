import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FakeClock, startFake, FAKE_KINDS, type Fake, type FakeKind } from '../../fakes/index.ts';
import { speakTo, wordingOf } from './client.ts';
import { checkByVendor, noVendorData } from './vendor.ts';

/** Calls of each kind beyond those that all have, so that every answer the fakes can give is looked at. */
const MORE: Readonly<Record<FakeKind, readonly (readonly [method: string, path: string, body?: unknown])[]>> =
  {
    github: [
      ['GET', '/rate_limit'],
      ['GET', '/repos/acme/none'],
      ['POST', '/repos/acme/shop/issues', { body: 'x' }],
    ],
    'github-enterprise': [
      ['GET', '/rate_limit'],
      ['GET', '/repos/acme/none'],
      ['POST', '/repos/acme/shop/issues', { body: 'x' }],
    ],
    gitlab: [
      ['GET', '/metadata'],
      ['GET', '/version'],
      ['GET', '/personal_access_tokens/self'],
      ['GET', '/projects/9'],
    ],
    'jira-cloud': cloud(),
    'jira-gateway': cloud(),
    'jira-datacenter': [
      ['GET', '/rest/api/2/serverInfo'],
      ['GET', '/rest/api/2/issue/SEC-1/transitions'],
      ['GET', '/rest/api/2/mypermissions?projectKey=SEC'],
      ['GET', '/rest/api/2/issue/createmeta/SEC/issuetypes'],
      ['GET', '/rest/api/2/issue/createmeta/SEC/issuetypes/10001'],
    ],
  };

function cloud(): (readonly [string, string])[] {
  return [
    ['GET', '/rest/api/3/serverInfo'],
    ['GET', '/rest/api/3/issue/SEC-1/transitions?expand=transitions.fields'],
    ['GET', '/rest/api/3/mypermissions?projectKey=SEC&permissions=CREATE_ISSUES,TRANSITION_ISSUES'],
    ['GET', '/rest/api/3/issue/createmeta/SEC/issuetypes'],
    ['GET', '/rest/api/3/issue/createmeta/SEC/issuetypes/10001'],
  ];
}

async function useAll(fake: Fake): Promise<void> {
  const speak = speakTo(fake);
  const words = wordingOf(fake);
  const expect = async (status: number, method: string, path: string, body?: unknown): Promise<void> => {
    const reply = await speak(method, path, body);
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
  };
  await expect(200, 'GET', words.self);
  await expect(200, 'GET', words.project);
  await expect(201, 'POST', ...words.create);
  fake.state.open({ project: fake.state.projects[0]?.path ?? '', title: 'By a person', pullRequest: true });
  await expect(201, 'POST', words.comment[0](1), words.comment[1]);
  for (const path of [words.list, words.issue(1), words.comments(1)]) await expect(200, 'GET', path);
  const [method, path, body] = words.close;
  await expect(fake.kind.startsWith('jira') ? 204 : 200, method, path(1), body);
  for (const after of [words.list, words.issue(1), words.comments(1)]) await expect(200, 'GET', after);
  for (const [one, where, what] of MORE[fake.kind]) await speak(one, where, what);
  await expect(404, 'GET', words.issue(77));
  fake.tokens.good.state = 'expired';
  await expect(401, 'GET', words.self);
}

suite('every answer of a fake is one that the vendor describes', { skip: noVendorData }, () => {
  for (const kind of FAKE_KINDS) {
    test(kind, async () => {
      const fake = await startFake(kind, { clock: new FakeClock() });
      try {
        await useAll(fake);
        const { problems, covered } = checkByVendor(fake);
        assert.deepEqual(problems, []);
        assert.ok(covered.size >= 8, `only ${[...covered].join(', ')}`);
        assert.deepEqual(fake.violations, []);
      } finally {
        await fake.close();
      }
    });
  }
});
