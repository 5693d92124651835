import type { TrackingBody } from '../../src/api/contract/tracking.ts';
import { IpoError, isIpoError } from '../../src/base/index.ts';
import type { TrackingRowOptions } from './index.ts';
import { ANSWER_FORMATS, writeAnswer } from '../terminal/answer.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { channelNames, rowNumber, rowViews } from './list.ts';

const DONE = {
  reopen: 'it is open again; an issue is filed for it in the next run, as far as the cap allows',
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
    answer: await decided(() =>
      what === 'reopen'
        ? service.json<TrackingBody>('POST /tracking/{id}/reopen', { params })
        : service.json<TrackingBody>('POST /tracking/{id}/confirm', { params }),
    ),
    names: await channelNames(service),
  }));
  await writeAnswer(targets, answer, rowViews(answer.body, names), terminal, globals);
  if (!globals.quiet) terminal.err(`ipo: row ${answer.body.id}: ${DONE[what]}\n`);
  return EXIT.done;
}

const RETURNED = 'GET /api/v1/tracking?returned=true';

/** The service names its paths; here the commands that show the same are named. */
async function decided<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isIpoError(error) || error.hint?.startsWith(RETURNED) !== true) throw error;
    throw new IpoError(error.code, error.message, {
      cause: error,
      hint: `\`ipo tracking list --returned\`${error.hint.slice(RETURNED.length)}`,
    });
  }
}
