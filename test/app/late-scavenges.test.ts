import { equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { cachedDataVersionTag } from 'node:v8';
import { withLateScavenges } from '../../src/app/doors/late-scavenges.ts';

/** The flags of V8 are seen by the tag alone that they give to compiled code. */
const flags = cachedDataVersionTag;

async function* chunks() {
  yield Buffer.from('a');
  yield Buffer.from('b');
}

test('V8 works with other flags only while chunks are read', async () => {
  const before = flags();
  const read: string[] = [];
  for await (const chunk of withLateScavenges(chunks())) {
    notEqual(flags(), before);
    read.push(String(chunk));
  }
  equal(read.join(''), 'ab');
  equal(flags(), before);
});

test('its flags come back where the reader stops, and where the source fails', async () => {
  const before = flags();
  for await (const chunk of withLateScavenges(chunks())) {
    equal(String(chunk), 'a');
    break;
  }
  equal(flags(), before);

  const failing = async function* () {
    yield Buffer.from('a');
    throw new Error('the disk is gone');
  };
  let said = '';
  try {
    for await (const chunk of withLateScavenges(failing())) equal(String(chunk), 'a');
  } catch (error) {
    said = (error as Error).message;
  }
  equal(said, 'the disk is gone');
  equal(flags(), before);
});
