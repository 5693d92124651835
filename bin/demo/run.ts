import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  fillDemo,
  holdFree,
  openServiceClient,
  serve,
  withMemoryDirectory,
  type RunningService,
  ASKS_NOBODY,
} from '../../src/app/index.ts';
import { fixturesFolder } from './fixtures.ts';
import type { ExitCode } from '../terminal/exit.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { VERSION } from '../terminal/version.ts';

/** DemoFlags are the flags of `ipo demo` as commander gives them. */
export interface DemoFlags {
  readonly listen: string;
}

const EMAIL = 'admin@shop.example';

/** runDemo is `ipo demo`: the service over the shop's ledger in a directory in memory that is gone when it ends. */
export async function runDemo(
  flags: DemoFlags,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const password = randomBytes(12).toString('base64url');
  await holdFree(flags.listen);
  const code = await withMemoryDirectory(async (directory) => {
    const fixtures = await fixturesFolder(directory);
    if (!globals.quiet) terminal.err('ipo: preparing 30 days of sample admissions …\n');
    const { rows } = await fillDemo(directory, join(fixtures, 'ledger/shop.ndjson.gz'));
    return serve({
      sources: {
        file: null,
        // The settings of a service of one's own must not change the demo, which files in the fakes of this machine at most.
        env: {
          DATA_KEY: randomBytes(32).toString('base64'),
          IPO_TRACKERS_TEST_LOOPBACK: 'true',
        },
        flags: [
          { path: 'data', flag: 'demo', value: directory },
          { path: 'listen', flag: '--listen', value: flags.listen },
          { path: 'clusterName', flag: 'demo', value: 'shop-prod-eu1' },
          { path: 'admin.email', flag: 'demo', value: EMAIL },
          { path: 'admin.password', flag: 'demo', value: password },
          ...ASKS_NOBODY.map(([path, value]) => ({ path, flag: 'demo', value })),
          { path: 'log.level', flag: 'demo', value: 'warn' },
        ],
      },
      version: VERSION,
      write: (line) => terminal.err(line),
      pretty: { color: terminal.tty.err },
      process,
      started: (service) => {
        void greet(service, { password, rows, drafts: join(fixtures, 'policies') }).then((text) =>
          terminal.out(text),
        );
      },
    });
  });
  return code as ExitCode;
}

interface Shown {
  readonly password: string;
  readonly rows: number;
  readonly drafts: string;
}

/** Signs in once to make a token, so that every line below can be pasted as it stands. */
async function greet(
  { url, checkpoint }: RunningService,
  { password, rows, drafts }: Shown,
): Promise<string> {
  await checkpoint();
  const token = await makeToken(url, password);
  const draft = join(drafts, 'tighten.yaml');
  return `The service runs in memory with ${rows.toLocaleString('en-US')} admissions of a made-up shop. Ctrl-C ends it.

In another terminal:
  export IPO_SERVER=${url}
  export IPO_TOKEN=${token}
or sign in as a user:
  ipo login ${url} --email ${EMAIL}
  password: ${password}

Preview what a draft would change:
  ipo whatif ${draft} --server
  ipo policy apply ${draft}

See what runs, and its vulnerabilities:
  ipo images list --filter Blocked
  ipo vulns --severity CRITICAL

See what was decided, and verify that nobody changed it:
  ipo ledger list --refused --limit 10
  ipo ledger checkpoint --save checkpoint.txt
  ipo ledger export -o ledger.ndjson.gz
  ipo ledger verify --ledger ledger.ndjson.gz --checkpoint checkpoint.txt

Make an evidence package for an auditor, and check it:
  ipo evidence create --days 30 --out e.zip
  ipo evidence verify e.zip
  ipo evidence recompute e.zip

API: ${url}/api/v1/openapi.json
`;
}

async function makeToken(server: string, password: string): Promise<string> {
  const agent = `ipo/${VERSION}`;
  const anonymous = await openServiceClient({ server, token: null, userAgent: agent });
  const session = await anonymous.json<{ token: string }>('POST /session', {
    body: { email: EMAIL, password },
  });
  await anonymous.close();
  const client = await openServiceClient({ server, token: session.body.token, userAgent: agent });
  const made = await client.json<{ token: string }>('POST /tokens', {
    body: { name: 'demo', role: 'administrator' },
  });
  await client.close();
  return made.body.token;
}
