import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { FILE_NAMES } from '../../src/evidence/package/make.ts';
import { withoutOpenssl } from '../app/certificate.ts';
import { scratchDirectory, startRunning } from '../app/running.ts';
import { toCall } from '../cli/example-lines.ts';
import { ipo } from '../cli/fake-terminal.ts';
import { unzip } from '../evidence/open-bytes.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const GUIDE = readFileSync(join(ROOT, 'docs/evidence.md'), 'utf8');

/** The commands of a guide that can be run as they are, in their order. */
const COMMANDS = [...GUIDE.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
);

test('the commands of docs/evidence.md work in their order', { skip: withoutOpenssl }, async (t) => {
  const service = await startRunning(t);
  const folder = scratchDirectory(t);
  symlinkSync(join(ROOT, 'fixtures'), join(folder, 'fixtures'));
  const home = process.cwd();
  t.after(() => process.chdir(home));
  process.chdir(folder);
  const env = { IPO_SERVER: service.url, IPO_TOKEN: service.secretOf('administrator') ?? '', HOME: folder };
  assert.ok(COMMANDS.length >= 10, 'the guide has commands');
  for (const line of COMMANDS) {
    // The guide says: in a directory with the unpacked files.
    if (line.startsWith('base64 '))
      for (const [name, content] of unzip(readFileSync('evidence.zip'))) writeFileSync(name, content);
    const { code, err } = line.startsWith('ipo ')
      ? await ipo(toCall(line).words, { env })
      : await inShell(line);
    assert.equal(code, 0, `${line}\n${err}`);
  }
});

test('docs/evidence.md names each file of a package, and no other', () => {
  const [, table = ''] = /## What is inside\n([^]*?)\n## /.exec(GUIDE) ?? [];
  const named = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
  assert.deepEqual(named.toSorted(), [...FILE_NAMES].toSorted());
});

function inShell(line: string): Promise<{ readonly code: number | null; readonly err: string }> {
  return new Promise((ended) => {
    const child = spawn('sh', ['-ec', line], { stdio: ['ignore', 'ignore', 'pipe'] });
    let err = '';
    child.stderr.on('data', (chunk) => (err += String(chunk)));
    child.on('close', (code) => ended({ code, err }));
  });
}
