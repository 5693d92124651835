import type { AdoptedBody, WrittenChannelBody } from '../../src/api/contract/channels.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { isTrackerKind } from '../../src/channels/index.ts';
import { counted } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { confirm, holdConfirmable } from '../terminal/confirm.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { findChannel, toName } from './find.ts';
import { faultsOf, warningsOf } from './remarks.ts';
import type { ChannelListOptions } from './list.ts';

/** ChannelDeleteOptions are the flags of `ipo channel delete`. */
export interface ChannelDeleteOptions extends ChannelListOptions {
  readonly yes?: true;
}

/** ChannelAdoptOptions are the flags of `ipo channel adopt`. */
export interface ChannelAdoptOptions extends ChannelListOptions {
  readonly from: string;
}

/** runChannelSwitch is `ipo channel enable` and `disable`. */
export async function runChannelSwitch(
  which: string,
  enabled: boolean,
  options: ChannelListOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  return withService(terminal, options, async (service) => {
    const { body, etag } = await findChannel(service, which);
    const { body: after } = await service.json<WrittenChannelBody>('PUT /channels/{id}', {
      params: { id: body.id },
      headers: { 'if-match': etag },
      body: { ...body.document, enabled },
    });
    const word = enabled ? 'enabled' : 'disabled';
    const done = after.changed ? word : `is ${word} already`;
    await outcome.write(after, `${toName(after)} ${done}\n`);
    const remarks = [...faultsOf(after), ...warningsOf(after)];
    if (!globals.quiet) for (const line of remarks) terminal.err(`ipo: ${line}\n`);
    return EXIT.done;
  });
}

/** runChannelDelete is `ipo channel delete`: what was shown is what is deleted, or nothing. */
export async function runChannelDelete(
  which: string,
  options: ChannelDeleteOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  holdConfirmable(terminal, options.yes === true, 'ipo channel delete');
  return withService(terminal, options, async (service) => {
    const { body, etag } = await findChannel(service, which);
    const { id, kind, target } = body;
    const open = isTrackerKind(kind) ? await openRows(service, id) : 0;
    const what = `${toName(body)} (${kind}${target === '' ? '' : `, ${clean(target, 80)}`})`;
    const left = open === 0 ? '' : ` ${counted(open, 'finding')} that it filed would stay open.`;
    const question = `Delete ${what} from ${service.server}?${left}`;
    if (options.yes !== true && !(await confirm(question, terminal))) {
      if (!globals.quiet) terminal.err('ipo: nothing was deleted\n');
      return EXIT.check;
    }
    await service.json('DELETE /channels/{id}', { params: { id }, headers: { 'if-match': etag } });
    await outcome.write({ id, name: body.name, state: 'deleted', open }, `${toName(body)} deleted\n`);
    if (open > 0 && !globals.quiet)
      terminal.err(
        `ipo: ${counted(open, 'open finding')} stay open; another channel can close them: ipo channel adopt CHANNEL --from ${clean(id)}\n`,
      );
    return EXIT.done;
  });
}

/** Rows that only this channel closes. */
async function openRows(service: ServiceClient, id: string): Promise<number> {
  const query = { channel: id, state: 'open', limit: 1 };
  return (await service.json<{ total: number }>('GET /tracking', { query })).body.total;
}

/** runChannelAdopt is `ipo channel adopt`. */
export async function runChannelAdopt(
  which: string,
  options: ChannelAdoptOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  return withService(terminal, options, async (service) => {
    const { body } = await findChannel(service, which);
    const { body: done } = await service.json<AdoptedBody>('POST /channels/{id}/adopt', {
      params: { id: body.id },
      body: { channel: options.from },
    });
    const closes = `${toName(body)} closes ${counted(done.adopted, 'open row', 'open rows')} from now on\n`;
    const left = `${counted(done.left, 'row', 'rows')} not moved, since the issue is on another host\n`;
    await outcome.write(done, done.left > 0 ? closes + left : closes);
    return EXIT.done;
  });
}
