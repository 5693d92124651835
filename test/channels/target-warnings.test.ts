import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  openDocuments,
  targetWarnings,
  toStoredChannel,
  type StoredChannel,
} from '../../src/channels/index.ts';
import { dataCenter, DOCUMENTS } from './documents.ts';

function channelOf(document: Readonly<Record<string, unknown>>): StoredChannel {
  const read = openDocuments({ testLoopback: true, allowedHosts: [] })(document);
  const { kind, name, enabled, subscriptions, settings } = read;
  const state = { firstRunAt: null, notBefore: null, capWarnedAt: null, lastError: null, lastErrorAt: null };
  const kept = { createdAt: 0, place: 0, version: '0', updatedAt: 0, updatedBy: null };
  return toStoredChannel({ id: 'a', name, enabled, subscriptions, ...kept, ...state }, kind, settings);
}

const warned = (document: Readonly<Record<string, unknown>>, allowedTargets?: readonly string[]) =>
  targetWarnings(channelOf({ ...document, ...(allowedTargets !== undefined && { allowedTargets }) }));

for (const [globs, github, gitlab] of [
  [undefined, true, true],
  [[], true, true],
  [['*/*'], true, true],
  [['**'], true, true],
  [['**/*'], true, true],
  [['*/**'], true, true],
  [['**/**'], true, true],
  [['*/**/**'], true, true],
  [['*/shop'], true, true],
  [['**/shop'], true, true],
  [['**/shop/**'], true, true],
  [['*/shop-*'], true, true],
  [['*/**/shop'], true, true],
  [['a*/*'], true, true],
  [['*-*/*'], true, true],
  [['example/*', '*/*'], true, true],
  [['*/team/shop'], false, true], // GitHub has owner and name alone
  [['**/example/*'], false, true],
  [['*'], false, false], // no repository has a path of one step
  [['example/*'], false, false],
  [['Example/**'], false, false],
  [['example/app'], false, false],
  [['example-*/*'], false, false],
  [['a-0a/*'], false, false],
  [['example/*', 'platform/**'], false, false],
] as const)
  test(`a label leads to strangers by ${JSON.stringify(globs ?? 'nothing said')}: GitHub ${github}, GitLab ${gitlab}`, () => {
    assert.equal(warned(DOCUMENTS.github, globs).length, Number(github));
    assert.equal(warned(DOCUMENTS.gitlab, globs).length, Number(gitlab));
  });

test('a warning names the host, the cause and what to set', () => {
  assert.deepEqual(warned(DOCUMENTS.github), [
    'the label of an image can send its issues to any repository of github.com, since allowedTargets is empty; set allowedTargets: [example/*]',
  ]);
  assert.deepEqual(warned(DOCUMENTS.gitlab, ['group/**', '*/shop', '**']), [
    'the label of an image can send its issues to repositories of strangers on gitlab.com, since allowedTargets has */shop, **; set allowedTargets: [group/sub/*]',
  ]);
  const [numbered = ''] = warned({ ...DOCUMENTS.gitlab, defaultProject: '4711' });
  assert.match(numbered, /; set allowedTargets: \[your-group\/\*\*\]$/);
});

test('what is proposed is accepted, lets the own target through, and ends the warning', () => {
  for (const document of [
    DOCUMENTS.github,
    DOCUMENTS.gitlab,
    { ...DOCUMENTS.gitlab, defaultProject: '4711' },
  ]) {
    const [, proposed = ''] = /set allowedTargets: \[(.*)\]$/.exec(warned(document)[0] ?? '') ?? [];
    assert.deepEqual(warned(document, [proposed]), []);
  }
});

test('an own instance, Jira and other kinds are not warned of', () => {
  const own = { ...DOCUMENTS.github, apiBaseUrl: 'https://ghe.example.com/api/v3' };
  const tenant = { ...DOCUMENTS.github, apiBaseUrl: 'https://api.acme.ghe.com' };
  const lab = { ...DOCUMENTS.gitlab, apiBaseUrl: 'https://gitlab.example.com/api/v4' };
  for (const document of [own, tenant, lab, DOCUMENTS.jira, dataCenter, DOCUMENTS.slack, DOCUMENTS.email])
    assert.deepEqual(warned(document), []);
});

test('a glob of any length is judged at once', () => {
  const long = `${'**/'.repeat(80)}x`;
  assert.equal(warned(DOCUMENTS.gitlab, [long]).length, 1);
  assert.equal(warned(DOCUMENTS.github, ['*a'.repeat(100) + '/*']).length, 0);
});
