import type { ChannelBody, WrittenChannelBody } from '../../src/api/contract/channels.ts';
import {
  channelFieldTypes,
  CREDENTIAL_FIELDS,
  isTrackerKind,
  SECRET_FIELDS,
  trackerOf,
} from '../../src/channels/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { openPrompts, readStdinLines } from '../terminal/prompts.ts';
import { checkStdin } from '../files/index.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { checkEvents, commaParts, readDocument, type Document } from './document.ts';
import { findChannel, toName } from './find.ts';
import { faultsOf, warningsOf } from './remarks.ts';
import type { ChannelListOptions } from './list.ts';

/** ChannelEditOptions are the flags of `ipo channel edit`. */
export interface ChannelEditOptions extends ChannelListOptions {
  readonly name?: string;
  readonly set?: readonly string[];
  readonly unset?: readonly string[];
  readonly event?: readonly string[];
  readonly subscribe?: readonly string[];
  readonly unsubscribe?: readonly string[];
  readonly file?: string;
  readonly askCredential?: true;
  readonly credentialStdin?: true;
  readonly credentialField?: string;
}

const SECRETS: readonly string[] = [...CREDENTIAL_FIELDS, ...SECRET_FIELDS];

/** runChannelEdit is `ipo channel edit`: it writes over what it read, and nothing else. */
export async function runChannelEdit(
  which: string,
  options: ChannelEditOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { file, askCredential, credentialStdin, tokenStdin } = options;
  const outcome = openOutcome(options.output, terminal);
  checkStdin([file, credentialStdin && '-', tokenStdin && '-']);
  if (askCredential && credentialStdin)
    throw new UsageError('--ask-credential and --credential-stdin exclude each other', 'Choose one');
  checkEvents('--event', options.event);
  checkEvents('--subscribe', options.subscribe);
  checkEvents('--unsubscribe', options.unsubscribe);
  const changes = changesOf(options);
  const written = file === undefined ? null : await readDocument(file, terminal);
  if (written === null && changes.length === 0 && !askCredential && !credentialStdin) {
    throw new UsageError('no change is named', 'Add --set FIELD=VALUE, or see ipo channel edit --help');
  }
  if (options.credentialField !== undefined && !askCredential && !credentialStdin)
    throw new UsageError(
      '--credential-field needs --ask-credential or --credential-stdin',
      'Add one of them: an argument must not contain a secret',
    );
  const entered = credentialStdin ? (await readStdinLines(terminal, ['the credential']))[0] : undefined;
  return withService(terminal, options, async (service) => {
    const { body, etag } = await findChannel(service, which);
    const document = changes.reduce<Document>((before, change) => change(before), written ?? body.document);
    const field = secretField(body, document, options.credentialField);
    const secret = askCredential
      ? await openPrompts(terminal, 'ipo channel edit', 'Give it with --credential-stdin').secret(
          `The ${field} of ${toName(body)}`,
        )
      : entered;
    const { body: after } = await service.json<WrittenChannelBody>('PUT /channels/{id}', {
      params: { id: body.id },
      headers: { 'if-match': etag },
      body: secret === undefined ? document : { ...document, [field]: secret },
    });
    await outcome.write(after, `${toName(after)} ${after.changed ? 'changed' : 'is unchanged'}\n`);
    if (!globals.quiet) for (const line of remarks(after)) terminal.err(`ipo: ${line}\n`);
    return EXIT.done;
  });
}

type Change = (document: Document) => Document;

function changesOf(options: ChannelEditOptions): readonly Change[] {
  const { name, set = [], unset = [], event, subscribe = [], unsubscribe = [] } = options;
  const events = (document: Document): readonly unknown[] => {
    const { subscriptions } = document;
    return Array.isArray(subscriptions) ? subscriptions : [];
  };
  return [
    ...(name === undefined ? [] : [(document: Document): Document => ({ ...document, name })]),
    ...set.map(toChange),
    ...unset.map((field): Change => {
      checkField(field, '--unset');
      return (document) => Object.fromEntries(Object.entries(document).filter(([one]) => one !== field));
    }),
    ...(event === undefined
      ? []
      : [(document: Document): Document => ({ ...document, subscriptions: event.flatMap(commaParts) })]),
    ...subscribe.map((event): Change => (document) => ({
      ...document,
      subscriptions: [...events(document).filter((one) => one !== event), event],
    })),
    ...unsubscribe.map((event): Change => (document) => ({
      ...document,
      subscriptions: events(document).filter((one) => one !== event),
    })),
  ];
}

function toChange(pair: string): Change {
  const equals = pair.indexOf('=');
  const field = equals === -1 ? pair : pair.slice(0, equals);
  checkField(field, '--set');
  if (equals < 1)
    throw new UsageError(`--set ${clean(field)}: a value is missing`, 'Write --set FIELD=VALUE');
  const value = toValue(field, pair.slice(equals + 1));
  return (document) => ({ ...document, [field]: value });
}

/** What a person enters as an argument stands in lists of processes and histories of shells. */
function checkField(field: string, flag: string): void {
  if (SECRETS.includes(field) && flag === '--set')
    throw new UsageError(
      `${field} is a secret, and an argument must not contain one`,
      'Use --ask-credential or --credential-stdin, and revoke the secret that was visible here',
    );
  if (field === 'kind' || field === 'name')
    throw new UsageError(
      `${flag} ${field}: this field cannot be changed${field === 'name' ? ' here' : ''}`,
      field === 'name' ? 'Change it with --name' : 'Create another channel',
    );
}

function toValue(field: string, text: string): unknown {
  const type = channelFieldTypes().get(field);
  if (type === 'array') return commaParts(text);
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

/** The secret that a channel has once it is written: of a tracker the one that goes with the document, else the one that is named or the first. */
function secretField({ kind, secrets }: ChannelBody, document: Document, named: string | undefined): string {
  const fields = isTrackerKind(kind)
    ? [trackerOf(kind).credential(document)]
    : secrets.map(({ field }) => field);
  const [first = 'token'] = fields;
  if (named === undefined || fields.includes(named)) return named ?? first;
  throw new UsageError(
    `--credential-field ${clean(named)}: a channel of ${kind} has no such secret`,
    `Choose one of ${fields.join(', ')}`,
  );
}

function remarks(after: WrittenChannelBody): readonly string[] {
  const { enabled, without_effect: idle } = after;
  return [
    ...(idle.length === 0 ? [] : [`a channel of this kind does nothing with ${idle.join(', ')}`]),
    ...(enabled ? [] : ['it is disabled; ipo channel enable enables it']),
    ...faultsOf(after),
    ...warningsOf(after),
  ];
}
