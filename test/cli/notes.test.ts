import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withWrappedNotes } from '../../bin/terminal/notes.ts';
import type { Terminal } from '../../bin/terminal/terminal.ts';
import { displayWidth } from '../../src/render/index.ts';
import { ipo } from './fake-terminal.ts';

/** What a terminal of so many columns shows of texts that are written to stderr. */
function shown(texts: readonly string[], { columns = 40, tty = true } = {}): string {
  let err = '';
  const terminal = withWrappedNotes({
    ...{ env: {}, columns, tty: { in: tty, out: tty, err: tty } },
    out: () => assert.fail('a note goes to stderr'),
    err: (text) => void (err += text),
    stdin: (async function* () {})(),
  } satisfies Terminal);
  for (const text of texts) terminal.err(text);
  return err;
}

const NOTE = 'ipo: give this code to the person; it works once, until 2026-12-01 UTC\n';
const HINT = '  Ask the administrator of the service to issue another code.\n';

test('a note and its hint are broken between words on a terminal, and in a file they are not', () => {
  assert.equal(
    shown([NOTE, HINT]),
    [
      'ipo: give this code to the person; it',
      '     works once, until 2026-12-01 UTC',
      '  Ask the administrator of the service',
      '  to issue another code.',
      '',
    ].join('\n'),
  );
  assert.equal(shown([NOTE, HINT], { tty: false }), `${NOTE}${HINT}`);
  assert.equal(shown([NOTE, HINT], { columns: 200 }), `${NOTE}${HINT}`);
});

test('no line is wider than the terminal, words of wide characters included, and the words stay the same', () => {
  for (const columns of [40, 41, 60, 80]) {
    for (const text of [
      NOTE,
      'ipo: the policy 本番環境のポリシー is not valid: … — fix it, 検証 again and then apply it\n',
    ]) {
      const lines = shown([text], { columns }).trimEnd().split('\n');
      for (const line of lines) assert.ok(displayWidth(line) <= columns, line);
      assert.equal(`${lines.map((line) => line.trim()).join(' ')}\n`, text);
    }
  }
});

test('a word that is wider than the terminal stays whole, so that it can be copied', () => {
  const url = `https://ipo.example.com/${'a'.repeat(60)}`;
  assert.equal(shown([`ipo: open ${url} in a browser\n`]), `ipo: open\n     ${url}\n     in a browser\n`);
});

test('tables, progress, questions and lines that only stand below a note stay as they are', () => {
  const long = 'a b '.repeat(40);
  for (const text of [
    `  ${long}\n`,
    `${long}\n`,
    `\r\u001b[2K${long}`,
    `ipo: ${long}[y/N] `,
    `{"msg":"${long}"}\n`,
  ])
    assert.equal(shown([text]), text);
  const rows = `  ${long}\n  ${long}\n`;
  assert.equal(shown(['ipo: as follows\n', rows]), `ipo: as follows\n${rows}`);
});

test('an error of a command is wrapped for a person, and one line in a pipe', async () => {
  const args = [
    'channel',
    'setup',
    'slack',
    '--host',
    'mail.example.com',
    '--event',
    'nodes_over',
    '--print',
    '--save',
  ];
  const person = await ipo(args, { tty: true });
  const pipe = await ipo(args);
  assert.equal(person.code, 2);
  const words = (text: string): readonly string[] => text.split(/\s+/);
  assert.deepEqual(words(person.err), words(pipe.err));
  for (const line of person.err.split('\n')) assert.ok(displayWidth(line) <= 100, line);
});
