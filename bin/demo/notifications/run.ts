import { startInbox, type Inbox } from '../../../fakes/index.ts';
import { DemoTime, startNotificationDemo, withMemoryDirectory } from '../../../src/app/index.ts';
import { CHANNEL_EVENTS, kindOf, type TellerKind } from '../../../src/channels/index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openPaint } from '../../terminal/paint.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { wrapWords } from '../../../src/render/index.ts';
import { VERSION } from '../../terminal/version.ts';
import { readTaken } from './read.ts';

/** DemoNotificationsFlags are the argument and the flags of `ipo demo notifications`. */
export interface DemoNotificationsFlags {
  readonly kind: string | undefined;
  readonly event?: string;
}

const INTRODUCTION =
  'Each event as each kind of channel gets it. The outbox, the texts and the sender are those of the service; all servers run on this machine.';
/** Columns before a line of a message. */
const INDENT = 4;

const KINDS: readonly TellerKind[] = ['email', 'slack', 'teams', 'webhook'];

/** runDemoNotifications is `ipo demo notifications`: each event as each kind of channel gets it, from servers on this machine. */
export async function runDemoNotifications(
  { kind, event }: DemoNotificationsFlags,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  if (event !== undefined && !CHANNEL_EVENTS.some((one) => one === event))
    throw new UsageError(
      `--event ${clean(event)}: not a valid event`,
      `Choose one of ${CHANNEL_EVENTS.join(', ')}`,
    );
  const { chalk, columns } = await openPaint({
    color: usesColor(terminal, globals, 'out'),
    columns: terminal.columns,
    whole: !terminal.tty.out,
  });
  const kinds = KINDS.filter((one) => kind === undefined || one === kind);
  const events = CHANNEL_EVENTS.filter((one) => event === undefined || one === event);
  const say = (line = ''): void => terminal.out(`${line}\n`);
  const fit = (line: string, indent = 0): readonly string[] =>
    terminal.tty.out ? wrapped(line, columns - indent) : [line];
  let failed = false;
  await withMemoryDirectory(async (directory) => {
    await using ends = new AsyncDisposableStack();
    const inbox = await startInbox();
    ends.defer(() => inbox.close());
    const channels = kinds.map((one) => ({ kind: one, settings: settingsOf(one, inbox) }));
    const time = new DemoTime();
    const demo = await startNotificationDemo({ directory, time, userAgent: `ipo/${VERSION}`, channels });
    ends.defer(() => demo.close());
    for (const line of fit(INTRODUCTION)) say(line);
    for (const one of events) {
      const missed = await demo.happen(one);
      say();
      say(chalk.bold(one));
      const got = inbox.taken.splice(0);
      for (const taken of got.toSorted((a, b) => placeOf(a.path) - placeOf(b.path))) {
        say(`  ${chalk.cyan(kindOf(kindIn(taken.path)).setup.name)}`);
        for (const line of readTaken(taken).flatMap((whole) => fit(clean(whole, 1000), INDENT)))
          say(`  ${chalk.dim('│')} ${line}`.trimEnd());
      }
      for (const line of missed) say(`  not taken: ${clean(line)}`);
      failed ||= missed.length > 0;
    }
    say();
    const end = [
      ...(kinds.includes('webhook')
        ? [`Webhooks are signed with ${demo.key}; ipo channel show prints the key of your own channel.`]
        : []),
      'To create a channel: ipo channel setup. To send it a test message: ipo channel test CHANNEL.',
    ];
    for (const line of end.flatMap((whole) => fit(whole))) say(line);
  });
  return failed ? EXIT.outside : EXIT.done;
}

/** A line over as many as it takes, each with its indentation. */
function wrapped(line: string, room: number): readonly string[] {
  const [indent = ''] = /^ */.exec(line) ?? [];
  const parts = wrapWords(line.trim(), room - indent.length);
  return parts.length === 0 ? [''] : parts.map((part) => `${indent}${part}`);
}

function kindIn(path: string): TellerKind {
  return KINDS.find((kind) => path.includes(kind === 'email' ? 'mail' : kind)) ?? 'webhook';
}

function placeOf(path: string): number {
  return KINDS.indexOf(kindIn(path));
}

function settingsOf(kind: TellerKind, { url, mailPort }: Inbox): Readonly<Record<string, unknown>> {
  if (kind !== 'email') return { webhookUrl: `${url}/${kind}` };
  return {
    host: '127.0.0.1',
    port: mailPort,
    security: 'none',
    username: null,
    password: null,
    from: 'ipo@shop.example',
    to: ['on-call@shop.example'],
  };
}
