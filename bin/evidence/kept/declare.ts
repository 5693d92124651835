import type { DeclarationBody, DeclarationsBody } from '../../../src/api/contract/evidence.ts';
import { formatTime, parseTime } from '../../../src/base/index.ts';
import { withService } from '../../service/client.ts';
import { ANSWER_FORMATS, columnViews, writeAnswer, type ViewColumn } from '../../terminal/answer.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import { parseOutputs } from '../../terminal/output.ts';
import { parsePaging } from '../../terminal/paging.ts';
import { shortMoment } from '../../terminal/rows.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { holdId } from './hold-id.ts';
import type { KeptListOptions } from './list.ts';
import type { KeptOptions } from './verbs.ts';

/** KeptDeclareOptions are the flags of `ipo evidence declare`. */
export interface KeptDeclareOptions extends KeptOptions {
  readonly until?: string;
}

/** runEvidenceDeclare is `ipo evidence declare`. */
export async function runEvidenceDeclare(
  statement: string,
  options: KeptDeclareOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const until = options.until === undefined ? null : parseTime(options.until);
  if (Number.isNaN(until))
    throw new UsageError(
      `--until ${clean(options.until ?? '')}: this is not an RFC 3339 time`,
      'Write it as 2027-06-30T00:00:00Z',
    );
  const { body } = await withService(terminal, options, (service) =>
    service.json<DeclarationBody>('POST /declarations', {
      body: { statement, ...(until !== null && { valid_until: formatTime(until) }) },
    }),
  );
  await outcome.write(body, `${body.id} is declared ${endOf(body)}\n`);
  return EXIT.done;
}

/** runEvidenceWithdraw is `ipo evidence withdraw`. */
export async function runEvidenceWithdraw(
  id: string,
  options: KeptOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  holdId(id, 'declaration');
  const { body } = await withService(terminal, options, (service) =>
    service.json<DeclarationBody>('DELETE /declarations/{id}', { params: { id } }),
  );
  await outcome.write(body, `${id} ended; packages of earlier periods still print it\n`);
  return EXIT.done;
}

const COLUMNS: readonly ViewColumn<DeclarationBody>[] = [
  { heading: 'id', text: ({ id }) => id },
  { heading: 'declared (UTC)', text: ({ declared_at: at }) => shortMoment(at) },
  { heading: 'valid until', text: ({ valid_until: until }) => shortMoment(until) },
  { heading: 'by', text: ({ declared_by: by }) => by },
  { heading: 'statement', flex: 1, text: ({ statement }) => statement },
];

/** runEvidenceDeclarations is `ipo evidence declarations`. */
export async function runEvidenceDeclarations(
  options: KeptListOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const query = parsePaging(options);
  const { body, text } = await withService(terminal, options, (service) =>
    service.json<DeclarationsBody>('GET /declarations', { query }),
  );
  const views = columnViews(COLUMNS, body.items, 'No declaration.');
  await writeAnswer(targets, { text, body }, views, terminal, globals);
  return EXIT.done;
}

function endOf({ valid_until: until }: DeclarationBody): string {
  return until === null ? 'without an end' : `until ${shortMoment(until)} UTC`;
}
