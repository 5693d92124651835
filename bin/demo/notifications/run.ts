import { startInbox, type Inbox } from '../../../fakes/index.ts';
import { DemoTime, startNotificationDemo, withMemoryDirectory } from '../../../src/app/index.ts';
import { CHANNEL_EVENTS, kindOf, type TellerKind } from '../../../src/channels/index.ts';
import type { DemoNotificationsFlags } from '../index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openPaint } from '../../terminal/paint.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { VERSION } from '../../terminal/version.ts';
import { readTaken } from './read.ts';

const KINDS: readonly TellerKind[] = ['email', 'slack', 'teams', 'webhook'];

/** runDemoNotifications is `ipo demo notifications`: each event as each kind of channel gets it, from servers on this machine. */
export async function runDemoNotifications(
  { kind, event }: DemoNotificationsFlags,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  if (event !== undefined && !CHANNEL_EVENTS.some((one) => one === event))
    throw new UsageError(
      `--event ${clean(event)}: there is no such event`,
      `Choose one of ${CHANNEL_EVENTS.join(', ')}`,
    );
  const { chalk } = await openPaint({
    color: usesColor(terminal, globals, 'out'),
    columns: terminal.columns,
    whole: !terminal.tty.out,
  });
  const kinds = KINDS.filter((one) => kind === undefined || one === kind);
  const events = CHANNEL_EVENTS.filter((one) => event === undefined || one === event);
  const say = (line = ''): void => terminal.out(`${line}\n`);
  let failed = false;
  await withMemoryDirectory(async (directory) => {
    await using ends = new AsyncDisposableStack();
    const inbox = await startInbox();
    ends.defer(() => inbox.close());
    const channels = kinds.map((one) => ({ kind: one, settings: settingsOf(one, inbox) }));
    const time = new DemoTime();
    const demo = await startNotificationDemo({ directory, time, userAgent: `ipo/${VERSION}`, channels });
    ends.defer(() => demo.close());
    say(
      'Every event, as channels get it. The outbox, the texts and what sends them are those of the service; all servers are on this machine.',
    );
    for (const one of events) {
      const missed = await demo.happen(one);
      say();
      say(chalk.bold(one));
      const got = inbox.taken.splice(0);
      for (const taken of got.toSorted((a, b) => placeOf(a.path) - placeOf(b.path))) {
        say(`  ${chalk.cyan(kindOf(kindIn(taken.path)).setup.name)}`);
        for (const line of readTaken(taken))
          say(line.trim() === '' ? '' : `    ${chalk.dim('│')} ${clean(line, 1000)}`);
      }
      for (const line of missed) say(`  not taken: ${clean(line)}`);
      failed ||= missed.length > 0;
    }
    say();
    if (kinds.includes('webhook'))
      say(`Webhooks are signed with ${demo.key}, which ipo channel show prints of a channel of your own.`);
    say('Make one: ipo channel setup. Send it a test message: ipo channel test CHANNEL.');
  });
  return failed ? EXIT.outside : EXIT.done;
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
    ...{ host: '127.0.0.1', port: mailPort, security: 'none', username: null, password: null },
    ...{ from: 'ipo@shop.example', to: ['on-call@shop.example'] },
  };
}
