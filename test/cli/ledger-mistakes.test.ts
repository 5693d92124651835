import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { signCheckpoint } from '../../src/ledger/index.ts';
import { makeSigner } from '../ledger/grown.ts';
import { ipo } from './fake-terminal.ts';
import { at, serve, signer, url, whole } from './made-ledger.ts';

suite('what was given by mistake', () => {
  test('a checkpoint of another log proves nothing, and is not said to show a change', async () => {
    const other = makeSigner('ipo.example/ledger/other');
    const note = signCheckpoint({ origin: other.name, size: 9, root: 'x'.repeat(32), extensions: [] }, other);
    writeFileSync(at('other.txt'), note);
    for (const from of [
      ['-l', whole],
      ['--database', url],
    ]) {
      const ran = await ipo(['ledger', 'verify', ...from, '--checkpoint', at('other.txt')]);
      assert.equal(ran.code, 4);
      assert.match(
        ran.out.replaceAll(/\s+/g, ' '),
        /belongs to another log, and proves nothing about this ledger\./,
      );
      assert.doesNotMatch(ran.out, /differs from what was signed|--database URL/);
    }
    const saved = await ipo(['ledger', 'checkpoint', '--database', url, '--save', at('other.txt')]);
    assert.equal(saved.code, 4);
    assert.match(
      saved.err,
      /other\.txt has a checkpoint of another log, ipo\.example\/ledger\/other; this ledger is .*\n {2}Name another file; .*other\.txt was not changed/,
    );
    assert.equal(readFileSync(at('other.txt'), 'utf8'), note);
  });

  test('a file that is not a proof is named, with what writes one', async () => {
    const ran = await ipo(['ledger', 'verify', '--proof', at('kept.txt'), '--key', signer.vkey]);
    assert.equal(ran.code, 2);
    assert.match(
      ran.err,
      /kept\.txt: not a valid tlog-proof: .*\n {2}Give a \.tlog-proof file; .*ipo ledger prove ROW/,
    );
  });

  test('a service is named as what gave the key, not an export', async (t) => {
    const { out } = await (await serve(t))('ledger', 'verify');
    assert.match(out.replaceAll(/\s+/g, ' '), /the key that the service itself names/);
  });
});
