import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANNEL_EVENTS } from '../../src/channels/index.ts';
import { EVENT_TEXTS, sampleContent } from '../../src/notify/index.ts';
import { ipo } from './fake-terminal.ts';

/** What messages about one and about several subjects of an event name. */
const NAMED = CHANNEL_EVENTS.flatMap((event) => {
  const [section] = sampleContent([event]).sections;
  const { command, why } = EVENT_TEXTS[event];
  assert.ok(section);
  const [entry] = section.entries;
  assert.ok(entry);
  const several = { ...section, subjects: 2, entries: [entry, { ...entry, subject: 'other' }] };
  const unknown = { ...section, entries: [{ ...entry, subject: '–', items: [{}] }] };
  return { why, commands: [section, several, unknown].map((one) => command(one)) };
});

test('every command that a message names is one that can be given', async () => {
  const commands = new Set(NAMED.flatMap((named) => named.commands));
  assert.ok(commands.size > 10);
  for (const command of commands) {
    const [program, ...words] = command.split(' ');
    assert.equal(program, 'ipo', command);
    if (!words.includes('--server')) words.push('--server');
    const { code, err } = await ipo([...words, 'http://127.0.0.1:1']);
    assert.equal(code, 3, `${command}: ${err}`);
  }
});

test('every command of which a message says why exists', async () => {
  const named = NAMED.flatMap(({ why }) =>
    [...why.matchAll(/\bipo ([a-z]+(?: [a-z]+)?)/g)].map(([, words = '']) => words),
  );
  for (const words of new Set([...named, 'channel edit', 'channel mute'])) {
    const { code, out } = await ipo([...words.split(' '), '--help']);
    assert.equal(code, 0, words);
    assert.match(out, new RegExp(`Usage: ipo ${words}\\b`), words);
  }
});
