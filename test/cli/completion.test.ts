import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { ipo } from './fake-terminal.ts';

/** What stands at the cursor after these words: the values, and what the shell does then (4: nothing more, 0: files). */
async function complete(
  words: string[],
  env: Record<string, string> = {},
): Promise<{ values: string[]; files: boolean }> {
  const { code, out } = await ipo(['completion', 'complete', '--', ...words], { env });
  assert.equal(code, 0);
  const lines = out.trimEnd().split('\n');
  const directive = lines.pop();
  return { values: lines.map((line) => line.split('\t')[0] ?? ''), files: directive === ':0' };
}

suite('completion', () => {
  test('of a command, of a command below it, and of a flag', async () => {
    assert.deepEqual((await complete(['pol'])).values, ['policy']);
    assert.ok((await complete(['policy', ''])).values.includes('lint'));
    assert.deepEqual((await complete(['policy', 'lint', '--ag'])).values, ['--against']);
    assert.ok((await complete(['--'])).values.includes('--verbose'));
  });

  test('of a value that is one of a list', async () => {
    assert.deepEqual((await complete(['whatif', '--cold-image-policy', 'Al'])).values, ['AllowAndScan']);
    assert.deepEqual((await complete(['completion', 'z'])).values, ['zsh']);
  });

  test('leaves files to the shell', async () => {
    assert.deepEqual(await complete(['policy', 'lint', '']), { values: [], files: true });
    assert.deepEqual(await complete(['whatif', '--ledger', '']), { values: [], files: true });
  });

  test('shows neither itself nor what is not in the help', async () => {
    const { values } = await complete(['completion', '']);
    assert.ok(!values.includes('complete'), values.join());
  });
});

suite('completion of names', () => {
  let server: Server;
  let asked: string[] = [];
  const answers: Record<string, { items: object[] } | undefined> = {
    '/api/v1/policies': {
      items: [{ name: 'production' }, { name: 'with space' }, { name: 'evil\u001b[2J' }],
    },
    '/api/v1/channels': { items: [{ name: 'security-issues' }] },
    '/api/v1/runtime/rules': { items: [{ name: 'shells' }] },
    '/api/v1/runtime/policies': { items: [{ name: 'stop-dropped' }] },
  };
  before(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      asked.push(pathname);
      const answer = answers[pathname];
      response.writeHead(answer === undefined ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...answer, total: answer?.items.length }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  after(() => server.close());
  const env = (): Record<string, string> => ({
    IPO_SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    IPO_TOKEN: 'token',
  });

  test('asks the service that the user is signed in to, and leaves out what no shell could take', async () => {
    assert.deepEqual((await complete(['policy', 'get', 'pro'], env())).values, ['production']);
    assert.deepEqual((await complete(['policy', 'get', ''], env())).values, ['production']);
    assert.deepEqual((await complete(['channel', 'mute', 's'], env())).values, ['security-issues']);
    assert.deepEqual((await complete(['runtime', 'rule', 'edit', 's'], env())).values, ['shells']);
    assert.deepEqual((await complete(['runtime', 'rule', 'move', 'x', '--before', 's'], env())).values, [
      'shells',
    ]);
    assert.deepEqual((await complete(['runtime', 'policy', 'show', ''], env())).values, ['stop-dropped']);
  });

  test('asks for nothing where no name could stand, or nobody is signed in', async () => {
    asked = [];
    await complete(['policy', 'lint', ''], env());
    await complete(['policy', 'get', '']);
    assert.deepEqual(asked, []);
  });

  test('says nothing where the service fails', async () => {
    assert.deepEqual((await complete(['images', 'show', ''], env())).values, []);
  });
});

suite('scripts for shells', () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const skip = spawnSync(shell, ['--version']).status === 0 ? false : `${shell} is not at hand`;
    test(`${shell} can read its script`, { skip }, async () => {
      const { out } = await ipo(['completion', shell]);
      const { status, stderr } = spawnSync(shell, ['-n'], { input: out, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      assert.match(out, /ipo completion complete --/);
    });
  }

  test('as JSON', async () => {
    const { out } = await ipo(['completion', 'fish', '-o', 'json']);
    const answer = JSON.parse(out) as { shell: string; script: string };
    assert.equal(answer.shell, 'fish');
    assert.match(answer.script, /complete -c ipo/);
  });
});
