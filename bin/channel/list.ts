import type { ChannelBody } from '../../src/api/contract/channels.ts';
import { isTrackerKind } from '../../src/channels/index.ts';
import { counted, toYaml } from '../../src/render/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { renderRows, shortMoment } from '../terminal/rows.ts';
import { withService } from '../service/client.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { openPaint } from '../terminal/paint.ts';
import { findChannel } from './find.ts';
import { factLines } from '../terminal/fact-lines.ts';
import type { ServiceFlags } from '../service/index.ts';

/** ChannelListOptions are the flags of `ipo channel list`, and of those that switch a channel. */
export interface ChannelListOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** ChannelShowOptions are the flags of `ipo channel show`. */
export interface ChannelShowOptions extends ChannelListOptions {
  readonly document?: true;
}

interface Channels {
  readonly items: readonly ChannelBody[];
  readonly total: number;
}

/** runChannelList is `ipo channel list`. */
export async function runChannelList(options: ChannelListOptions, terminal: Terminal): Promise<ExitCode> {
  const outcome = openOutcome(options.output ?? [], terminal);
  const answered = await withService(terminal, options, (service) => service.json<Channels>('GET /channels'));
  await outcome.answer(answered, () => listed(answered.body.items, terminal));
  return EXIT.done;
}

function listed(channels: readonly ChannelBody[], terminal: Terminal): Promise<string> {
  const narrow = terminal.tty.out && terminal.columns < 100;
  const columns = [
    { heading: 'channel', flex: 2 },
    { heading: 'kind' },
    { heading: 'state' },
    { heading: 'leads to', flex: 3 },
    ...(narrow ? [] : [{ heading: 'subscribed to', flex: 1, cutsEnd: true }]),
    { heading: 'id' },
  ];
  const rows = channels.map((channel) => [
    channel.name,
    channel.kind,
    stateOf(channel),
    channel.target === '' ? '–' : channel.target,
    ...(narrow ? [] : [effective(channel)]),
    channel.id,
  ]);
  return renderRows(columns, rows, 'No channel.', terminal);
}

/** Events that it does something on. */
function effective({ subscriptions, without_effect: idle }: ChannelBody): string {
  return subscriptions.filter((event) => !idle.includes(event)).join(', ');
}

/** In one word what matters most of it. */
function stateOf({ enabled, fault, secrets }: ChannelBody): string {
  if (secrets.some(({ state }) => state === 'unreadable')) return 'token unreadable';
  if (fault !== null) return 'faulty';
  return enabled ? 'enabled' : 'disabled';
}

/** runChannelShow is `ipo channel show`. */
export async function runChannelShow(
  which: string,
  options: ChannelShowOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (options.document && options.output.length > 0)
    throw new UsageError('--document and -o exclude each other', 'Leave one of them out');
  const outcome = openOutcome(options.output ?? [], terminal);
  const answered = await withService(terminal, options, (service) => findChannel(service, which));
  if (options.document) {
    terminal.out(toYaml(answered.body.document));
    return EXIT.done;
  }
  await outcome.answer(answered, () => shown(answered.body, terminal));
  return EXIT.done;
}

const SECRETS = {
  set: 'stored, never shown',
  missing: 'not entered',
  unreadable: 'the stored token cannot be read; enter it again',
} as const;

async function shown(body: ChannelBody, terminal: Terminal): Promise<string> {
  const { document, secrets } = body;
  const heads = ['kind', 'name', 'enabled', 'subscriptions'];
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['channel', body.name],
    ['id', body.id],
    ['kind', body.kind],
    ['state', stateOf(body)],
    ...(body.fault === null ? [] : [['fault', body.fault] as const]),
    ['subscriptions', body.subscriptions.join(', ') || 'none'],
    ...(body.without_effect.length === 0
      ? []
      : [['without effect', body.without_effect.join(', ')] as const]),
    ...Object.entries(document)
      .filter(([field]) => !heads.includes(field))
      .map(([field, value]) => [field, valueText(value)] as const),
    ...secrets.map(({ field, state }) => [field, SECRETS[state]] as const),
    ...messageFacts(body),
    [
      'updated',
      `${shortMoment(body.updated_at)} UTC${body.updated_by === null ? '' : ` by ${body.updated_by}`}`,
    ],
    ...(isTrackerKind(body.kind)
      ? [
          [
            'first run',
            body.first_run_at === null ? 'not yet' : `${shortMoment(body.first_run_at)} UTC`,
          ] as const,
        ]
      : []),
    ...(body.not_before === null ? [] : [['quiet until', `${shortMoment(body.not_before)} UTC`] as const]),
    ...(body.last_error === null
      ? []
      : [['last error', `${shortMoment(body.last_error_at)} UTC: ${body.last_error}`] as const]),
  ];
  const paint = await openPaint({ color: false, columns: terminal.columns, whole: !terminal.tty.out });
  const lines = factLines(
    paint,
    facts.map(([name, value]) => ({ name, value })),
  );
  return `${lines.join('\n')}\n`;
}

/** How a channel that is sent messages stands. */
function messageFacts({ notifications }: ChannelBody): readonly (readonly [name: string, value: string])[] {
  if (notifications === undefined) return [];
  const { waiting, failed, muted, key } = notifications;
  return [
    ['waiting', waiting === 0 ? 'nothing' : String(waiting)],
    ...(failed === 0 ? [] : [['failed', `${counted(failed, 'message')} within 24 hours`] as const]),
    ...(muted === null ? [] : [['muted', `until ${shortMoment(muted.until)} UTC: ${muted.reason}`] as const]),
    ...(key === undefined ? [] : [['signed by', key] as const]),
  ];
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
