import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ipo } from '../cli/fake-terminal.ts';
import { unzip } from '../evidence/open-bytes.ts';
import { grow, makeSigner, NOW, SILENT } from '../ledger/grown.ts';
import { LedgerTree } from '../../src/ledger/index.ts';
import { ledgerTree, openStore } from '../../src/store/index.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/ledger.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'ipo-docs-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

const missing = ['python3 --version', 'openssl version']
  .filter((line) => {
    const [program = '', ...args] = line.split(' ');
    return spawnSync(program, args).status !== 0;
  })
  .map((line) => line.split(' ')[0]);
const skip = missing.length > 0 ? `${missing.join(' and ')} is not on the PATH` : false;

/** What an auditor does: the page's own program, over an export and a checkpoint that was kept before it. */
suite('the program of docs/ledger.md', { skip }, () => {
  before(async () => {
    const url = `sqlite:${at('ledger.db')}`;
    const store = await openStore({ url });
    const signer = makeSigner();
    const sign = (): Promise<unknown> =>
      new LedgerTree({
        store: ledgerTree(store),
        signer,
        clock: { now: () => NOW },
        log: SILENT,
      }).checkpoint();
    await grow(store, 0, 300);
    await sign();
    assert.equal((await ipo(['ledger', 'checkpoint', '--database', url, '--save', at('kept.txt')])).code, 0);
    await grow(store, 300, 700);
    await sign();
    assert.equal((await ipo(['ledger', 'export', '--database', url, '-o', at('ledger.ndjson.gz')])).code, 0);
    await store.close();
    writeFileSync(at('audit.py'), /```python\n(.*?)```/s.exec(PAGE)?.[1] ?? '');
  });

  const audit = (file: string) =>
    spawnSync('python3', ['audit.py', file, 'kept.txt'], { cwd: folder, encoding: 'utf8' });

  test('holds for an export of our own, against an earlier checkpoint', () => {
    const { status, stdout, stderr } = audit('ledger.ndjson.gz');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /300 rows are as .* signed them/);
  });

  test('holds for the rows of an evidence package of the whole ledger', async () => {
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    writeFileSync(at('evidence.key'), key.export({ type: 'pkcs8', format: 'pem' }));
    const flags = [
      '--from',
      '2026-11-01',
      '--to',
      '2026-11-19',
      '--key',
      at('evidence.key'),
      '--framework',
      'soc2',
      '--out',
      at('evidence.zip'),
    ];
    const made = await ipo(['evidence', 'create', '--ledger', at('ledger.ndjson.gz'), ...flags]);
    assert.equal(made.code, 0, made.err);
    const files = unzip(readFileSync(at('evidence.zip')));
    writeFileSync(at('admissions.ndjson.gz'), files.get('admissions.ndjson.gz') ?? '');
    const { status, stdout, stderr } = audit('admissions.ndjson.gz');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /300 rows are as .* signed them/);
  });

  test('finds a row that was changed', () => {
    const text = gunzipSync(readFileSync(at('ledger.ndjson.gz'))).toString('utf8');
    const lines = text.split('\n');
    const row = lines.findIndex((line) => line.startsWith('{"type":"row","id":77,'));
    lines[row] = (lines[row] ?? '')
      .replace('"cluster":', '"cluster": ')
      .replace(/"namespace":"[^"]*"/, '"namespace":"other"');
    writeFileSync(at('changed.ndjson.gz'), gzipSync(lines.join('\n')));
    const { status, stderr } = audit('changed.ndjson.gz');
    assert.equal(status, 1);
    assert.match(stderr, /history was changed/);
  });
});
