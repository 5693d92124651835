import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activeIn, type FakeKind } from '../../fakes/index.ts';

const kindsIn = (kind: FakeKind, text: unknown, part: 'title' | 'body' = 'body'): string[] =>
  activeIn(kind, part, text).map((one) => one.kind);

for (const [text, github, gitlab] of [
  ['hello @octocat', ['mention'], ['mention']],
  ['`@octocat`', [], []],
  ['``a ` @octocat``', [], []],
  ['` @octocat', ['mention'], ['mention']],
  ['\\`@octocat\\`', ['mention'], ['mention']],
  ['\\@octocat', ['mention'], ['mention']],
  ['&#64;octocat and &commat;alice', ['mention', 'mention'], ['mention', 'mention']],
  ['@\u200boctocat', [], []],
  ['mail a@b.c', [], []],
  ['@babel/core 7', ['mention'], ['mention']],
  ['see #12 and acme/shop#3', ['reference', 'reference'], ['reference', 'reference']],
  ['see GH-12', ['reference'], []],
  ['see !12, ~bug, %"7.1" and &4', [], ['reference', 'reference', 'reference', 'reference']],
  ['![x](https://a.example/x.png)', ['image'], ['image']],
  ['[x](https://a.example/)', ['link'], ['link']],
  ['https://a.example/#12', ['link'], ['link']],
  ['<https://a.example/>', ['link'], ['link']],
  ['<img src=x>', ['html'], ['html']],
  ['`<img src=x>`', [], []],
  ['<!-- ipo-1-mark -->', ['comment'], ['comment']],
  ['<!-- never closed', ['html'], ['html']],
  ['```\n@octocat\n/close\n```', [], []],
  ['```\n@octocat\n``\n', [], []],
  ['````\n```\n@octocat\n````\n@alice', ['mention'], ['mention']],
  ['/close', [], ['quick_action']],
  ['text\n/assign @alice', ['mention'], ['mention', 'quick_action']],
  ['`/close`', [], []],
  ['\\/close', [], []],
  ['/usr/bin/env', [], []],
  ['| `a | b` @octocat |', ['mention'], ['mention']],
  ['[ref]: https://a.example/', ['link', 'link'], ['link', 'link']],
] as const) {
  test(`in ${JSON.stringify(text)} GitHub acts on ${github.join(' ') || 'nothing'}, GitLab on ${gitlab.join(' ') || 'nothing'}`, () => {
    assert.deepEqual(kindsIn('github', text).toSorted(), [...github].toSorted());
    assert.deepEqual(kindsIn('gitlab', text).toSorted(), [...gitlab].toSorted());
  });
}

for (const [text, found] of [
  ['hello [~octocat]', ['mention']],
  ['hello \\[~octocat\\]', []],
  ['{html}x{html}', ['macro', 'macro']],
  ['\\{html\\}', []],
  ['{code}[~octocat] {html}{code}', []],
  ['{code}x{code} [~octocat]', ['mention']],
  ['{code:title=x}never closed [~octocat]', ['macro', 'mention']],
  ['!picture.png!', ['image']],
  ['wow! what! now', []],
  ['[x|https://a.example/]', ['link']],
  ['https://a.example/', ['link']],
] as const) {
  test(`in wiki markup ${JSON.stringify(text)} Jira acts on ${found.join(' ') || 'nothing'}`, () => {
    assert.deepEqual(kindsIn('jira-datacenter', text).toSorted(), [...found].toSorted());
  });
}

test('a structured document is active by its nodes and marks, never by its text', () => {
  const text = { type: 'text', text: '@alice [~alice] {html} <img> #12' };
  const doc = (...content: unknown[]): unknown => ({
    version: 1,
    type: 'doc',
    content: [{ type: 'paragraph', content }],
  });
  assert.deepEqual(kindsIn('jira-cloud', doc(text)), []);
  assert.deepEqual(kindsIn('jira-cloud', doc({ type: 'mention', attrs: { id: '1' } })), ['mention']);
  assert.deepEqual(kindsIn('jira-cloud', doc({ type: 'inlineCard', attrs: { url: 'https://a.example/' } })), [
    'embed',
  ]);
  const link = { type: 'text', text: 'x', marks: [{ type: 'link', attrs: { href: 'https://a.example/' } }] };
  assert.deepEqual(activeIn('jira-gateway', 'body', doc(link)), [
    { kind: 'link', text: 'https://a.example/' },
  ]);
});

test('a title is active only on GitLab', () => {
  assert.deepEqual(kindsIn('gitlab', 'CVE in @babel/core', 'title'), ['mention']);
  assert.deepEqual(kindsIn('github', 'CVE in @babel/core', 'title'), []);
  assert.deepEqual(kindsIn('jira-datacenter', 'CVE in [~alice]', 'title'), []);
});
