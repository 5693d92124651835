import type { TrackingBody } from '../../src/api/contract/tracking.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { IpoError, isIpoError } from '../../src/base/index.ts';
import { ANSWER_FORMATS, writeAnswer } from '../terminal/answer.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { channelNames, rowNumber, rowViews, type TrackingRowOptions } from './list.ts';

const DONE = {
  reopen: 'it is open again; the next run files an issue for it, if the cap allows',
  confirm: 'the next sweep closes it as fixed',
} as const;

/** runTrackingDecide is `ipo tracking reopen` and `ipo tracking confirm`. */
export async function runTrackingDecide(
  what: 'reopen' | 'confirm',
  id: string,
  options: TrackingRowOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const params = { id: String(rowNumber(id)) };
  const { names, answer } = await withService(terminal, options, async (service) => ({
    answer:
      what === 'reopen'
        ? await decided(service, params, () =>
            service.json<TrackingBody>('POST /tracking/{id}/reopen', { params }),
          )
        : await service.json<TrackingBody>('POST /tracking/{id}/confirm', { params }),
    names: await channelNames(service),
  }));
  await writeAnswer(targets, answer, rowViews(answer.body, names), terminal, globals);
  if (!globals.quiet) terminal.err(`ipo: row ${answer.body.id}: ${DONE[what]}\n`);
  return EXIT.done;
}

/** The service names its paths; here the command that shows the same is named: of a row that cannot be reopened, whether it came back. */
async function decided<T>(
  service: ServiceClient,
  params: { readonly id: string },
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isIpoError(error) || error.code !== 'conflict') throw error;
    const { body } = await service.json<TrackingBody>('GET /tracking/{id}', { params });
    if (body.returned_at !== null) throw error;
    throw new IpoError(error.code, error.message, {
      cause: error,
      hint: '`ipo tracking list --returned` lists rows that can be reopened',
    });
  }
}
