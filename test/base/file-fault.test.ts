import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileFaultOf } from '../../src/base/index.ts';

const hintOf = (path: string): string | undefined => {
  try {
    readFileSync(path);
  } catch (error) {
    return fileFaultOf(error)?.hint;
  }
  return undefined;
};

test('only a relative path is said to be relative', () => {
  assert.equal(hintOf('no-such-file'), 'Check the path; it is relative to the current directory');
  assert.equal(hintOf('/no-such-file'), 'Check the path');
});
