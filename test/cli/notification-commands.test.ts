import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANNEL_EVENTS } from '../../src/channels/index.ts';
import { EVENT_TEXTS, sampleContent } from '../../src/notify/index.ts';
import { ipo } from './fake-terminal.ts';

test('every command that a message names exists, with the options that it has there', async () => {
  const named = CHANNEL_EVENTS.flatMap((event) => {
    const [section] = sampleContent([event]).sections;
    const texts = EVENT_TEXTS[event];
    assert.ok(section);
    const inWhy = [...texts.why.matchAll(/\bipo [a-z]+(?: [a-z]+)?/g)].map(([command]) => command);
    return [texts.command(section), ...inWhy];
  });
  const commands = new Set(
    [...named, 'ipo channel edit', 'ipo channel mute'].filter((one) => one.startsWith('ipo ')),
  );
  assert.ok(commands.size > 5);
  for (const command of commands) {
    const [, ...words] = command.split(' ');
    const end = words.findIndex((word) => !/^[a-z]+$/.test(word));
    const path = end === -1 ? words : words.slice(0, end);
    const { code, out } = await ipo([...path, '--help']);
    assert.equal(code, 0, command);
    assert.match(out, new RegExp(`Usage: ipo ${path.join(' ')}\\b`), command);
    for (const option of words.filter((word) => word.startsWith('-')))
      assert.match(out, new RegExp(`(^|[ ,])${option}[ ,]`, 'm'), `${command} has ${option}`);
  }
});
