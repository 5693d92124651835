import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ipo } from '../cli/fake-terminal.ts';
import { at, ROWS, url } from '../cli/made-ledger.ts';
import { test } from 'node:test';
import { forEachEngine } from '../store/engines.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The commands of the move, as the page shows them. */
const [, shown = ''] =
  /<!-- move -->\s+```sh\n(.*?)```/s.exec(readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')) ?? [];
const lines = shown.split('\n').filter((line) => line !== '');

test('the page shows the three commands of a move', () => {
  assert.deepEqual(
    lines.map((line) => line.split(' ').slice(0, 3).join(' ')),
    ['ipo ledger checkpoint', 'ipo backup move', 'ipo ledger verify'],
  );
});

forEachEngine('the commands of a move', (engine) => {
  test('move a service, and its ledger verifies against the checkpoint that was kept', async () => {
    const data = at(`data-${engine.name}`);
    mkdirSync(data);
    assert.equal((await ipo(['backup', 'move', '--from', url, '--to', `sqlite:${data}/ipo.db`])).code, 0);
    const to = await engine.empty();
    const kept = at(`moved-${engine.name}.txt`);
    for (const line of lines) {
      const words = line
        .split(' ')
        .slice(1)
        .map((word) => word.replace('/var/lib/ipo', data).replace(/^kept\.txt$/, kept));
      // A test database has an address of its own, which may need more than the page's.
      const args = words.map((word) => (word.startsWith('postgres://') ? to : word));
      const { code, out, err } = await ipo(args);
      assert.equal(code, 0, `${line}: ${out}${err}`);
      if (words[1] === 'verify') assert.match(out, new RegExp(`${ROWS} rows are as signed`));
    }
  });
});
