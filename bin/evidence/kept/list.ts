import type { PackageBody, PackagesBody } from '../../../src/api/contract/evidence.ts';
import { formatCount } from '../../../src/render/index.ts';
import { withService } from '../../service/client.ts';
import { ANSWER_FORMATS, columnViews, writeAnswer, type ViewColumn } from '../../terminal/answer.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { parseOutputs } from '../../terminal/output.ts';
import { parsePaging } from '../../terminal/paging.ts';
import { shortMoment } from '../../terminal/rows.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import type { ServiceFlags } from '../../service/index.ts';
import type { PagingFlags } from '../../terminal/paging-flags.ts';

/** KeptListOptions are the flags of the commands that list. */
export interface KeptListOptions extends ServiceFlags, PagingFlags {
  readonly output: readonly string[];
}

const COLUMNS: readonly ViewColumn<PackageBody>[] = [
  { heading: 'id', text: ({ id }) => id },
  {
    heading: 'period (UTC)',
    text: ({ request: { from, to } }) => `${from.slice(0, 10)} – ${to.slice(0, 10)}`,
  },
  { heading: 'state', text: stateOf },
  {
    heading: 'met/partial/gap',
    text: ({ states }) => (states === null ? '–' : `${states.met}/${states.partial}/${states.gap}`),
  },
  { heading: 'bytes', align: 'right', text: ({ bytes }) => (bytes === null ? '–' : formatCount(bytes)) },
  { heading: 'created', text: ({ created_at: at }) => shortMoment(at) },
  { heading: 'by', text: ({ requested_by_name: name, requested_by: by }) => name ?? by },
  { heading: 'error', flex: 1, text: ({ error }) => error ?? '' },
];

function stateOf({ state, progress: { rows, total } }: PackageBody): string {
  const share =
    state !== 'running' || total === null || total === 0 ? null : Math.floor((100 * rows) / total);
  return share === null ? state : `${state} ${Math.min(share, 100)} %`;
}

/** runEvidenceList is `ipo evidence list`. */
export async function runEvidenceList(
  options: KeptListOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const query = parsePaging(options);
  const { body, text } = await withService(terminal, options, (service) =>
    service.json<PackagesBody>('GET /evidence', { query }),
  );
  const views = columnViews(COLUMNS, body.items, 'No package.');
  await writeAnswer(targets, { text, body }, views, terminal, globals);
  return EXIT.done;
}
