import { parseArgs } from 'node:util';
import {
  exampleChannel,
  FAKE_KINDS,
  startFake,
  startFakeLicence,
  VENDOR_LIMITS,
  type Fake,
  type Seen,
} from './index.ts';

const HELP = `Usage: npm run fakes -- [--port N] [--quiet]

Starts six issue trackers on this machine and prints, for each, its address, its tokens and a channel that files in it; and a licence
service, with the settings for it.
Jira's search learns of a change after 15 seconds; the limits of the vendors hold. Ctrl-C ends them, and all that they held.

  --port N   the first of seven ports in a row; free ones unless given
  --quiet    does not print the requests that arrive
  --help     prints this
`;

interface Flags {
  readonly port: number;
  readonly quiet: boolean;
  readonly help: boolean;
}

try {
  const flags = readFlags();
  if (flags.help) process.stdout.write(HELP);
  else await run(flags);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

function readFlags(): Flags {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : NaN;
  if (!(port <= 65_535 - FAKE_KINDS.length))
    throw new Error('--port must be a port, with six more behind it');
  return { ...values, port };
}

async function run({ port, quiet }: Flags): Promise<void> {
  // The reader may go away, as head does.
  process.stdout.on('error', () => process.exit());
  const fakes: Fake[] = [];
  for (const [index, kind] of FAKE_KINDS.entries()) {
    const fake = await startFake(kind, {
      port: port === 0 ? 0 : port + index,
      lagMs: kind.startsWith('jira') ? 15_000 : 0,
      limits: VENDOR_LIMITS[kind],
      ...(quiet ? {} : { heard: (seen: Seen) => process.stdout.write(`${kind}  ${describe(seen)}\n`) }),
    });
    fakes.push(fake);
    process.stdout.write(introduce(fake));
  }
  const licence = await startFakeLicence({ port: port === 0 ? 0 : port + FAKE_KINDS.length });
  process.stdout.write(
    `licence\n  settings:\n    licence:\n      url: ${licence.url}\n      key: ${licence.key}\n      publicKeys: ['${licence.publicKey}']\n\n`,
  );
  process.stdout.write(
    'Channels on this machine need the setting trackers.testLoopback. Ctrl-C ends them all.\n',
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void Promise.all([...fakes, licence].map((fake) => fake.close()));
    });
  }
}

function introduce(fake: Fake): string {
  const { kind, url, webUrl, tokens, state } = fake;
  const rows = [
    ['address', url],
    ...(webUrl === new URL(url).origin ? [] : [['site', webUrl]]),
    ['projects', state.projects.map(({ path }) => path).join(', ')],
    ...Object.values(tokens).map(({ name, secret, user }) => [
      name,
      kind === 'jira-cloud' || kind === 'jira-gateway' ? `${user.email}:${secret}` : secret,
    ]),
  ];
  const table = rows.map(([name = '', value = '']) => `  ${name.padEnd(10)}  ${value}`).join('\n');
  const channel = exampleChannel(fake)
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
  return `${kind}\n${table}\n  channel:\n${channel}\n\n`;
}

function describe({ method, path, act, status, token, fault }: Seen): string {
  const what = fault === null ? act : `${act}, fault ${fault}`;
  return `${method} ${path}  ${status ?? 'no answer'}  (${what}${token === null ? '' : `, ${token}`})`;
}
