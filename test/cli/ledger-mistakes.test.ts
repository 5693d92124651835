import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
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
    assert.match(out.replaceAll(/\s+/g, ' '), /a key from the service itself/);
  });

  test('an export that was cut off is said to have the rows that it has, at the line that what-if names', async () => {
    const shop = gunzipSync(readFileSync('fixtures/ledger/shop.ndjson.gz'));
    const lines = shop.toString().split('\n');
    const few = lines.findIndex((line) => line.startsWith('{"type":"row"')) + 20;
    writeFileSync(at('few.ndjson'), `${lines.slice(0, few).join('\n')}\n`);
    const ran = await ipo(['ledger', 'verify', '-l', at('few.ndjson')]);
    assert.equal(ran.code, 4);
    const text = ran.out.replaceAll(/\s+/g, ' ');
    assert.match(text, /the file contains 20\b/);
    assert.match(text, /Verification failed: the end of the export is missing\. /);
    assert.match(text, / Next ipo ledger export export the ledger again, and verify that file $/);
    writeFileSync(at('cut.ndjson.gz'), readFileSync('fixtures/ledger/shop.ndjson.gz').subarray(0, 20_000));
    const cut = await ipo(['ledger', 'verify', '-l', at('cut.ndjson.gz')]);
    const replay = await ipo(['whatif', 'policies/baseline.yaml', '-l', at('cut.ndjson.gz')]);
    const [, line] = /:(\d+): the compressed data ends too early/.exec(replay.err) ?? [];
    assert.ok(line !== undefined, replay.err);
    assert.match(
      cut.out.replaceAll(/\s+/g, ' '),
      new RegExp(`line ${line}: the compressed data ends too early`),
    );
  });

  test('a service has no export: what it sent is said of it', async (t) => {
    const served = await serve(t);
    const { out } = await served('ledger', 'verify', '--days', '1');
    assert.doesNotMatch(out, /The export holds/);
  });

  test('an export without a checkpoint has none to print, and nothing was to be compared', async () => {
    const pods = JSON.stringify({ kind: 'PodList', apiVersion: 'v1', items: [] });
    await ipo(['ledger', 'record', '--pods', '-', '-o', at('unsigned.ndjson'), '--force'], { stdin: pods });
    const { code, err } = await ipo(['ledger', 'checkpoint', '-l', at('unsigned.ndjson')]);
    assert.equal(code, 2);
    assert.match(err, /no checkpoint can be read from the export: it carries no signed checkpoint/);
    assert.doesNotMatch(err, /compared/);
  });
});
