import type { PreviewBody } from '../../src/api/contract/tracking.ts';
import { counted, wrapWords } from '../../src/render/index.ts';
import { ANSWER_FORMATS, writeAnswer } from '../terminal/answer.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { findImage } from '../service/find-image.ts';
import { parseOutputs } from '../terminal/output.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { assertTracker, findChannel } from './find.ts';
import type { ServiceFlags } from '../service/index.ts';

/** ChannelPreviewOptions are the flags of `ipo channel preview`. */
export interface ChannelPreviewOptions extends ServiceFlags {
  readonly image?: string;
  readonly cve?: string;
  readonly output: readonly string[];
}

const REFUSED = {
  not_a_repository: 'the label of the image names no repository',
  other_host: 'the label of the image names another host',
  not_allowed: 'allowedTargets does not allow the label of the image',
} as const;

/** runChannelPreview is `ipo channel preview`: it prints the issue that would be filed, and files nothing. */
export async function runChannelPreview(
  which: string,
  { image, cve, ...options }: ChannelPreviewOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  if ((image === undefined) !== (cve === undefined))
    throw new UsageError(
      '--image and --cve must be given together',
      'Give both, or neither for the next issue',
    );
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const answer = await withService(terminal, options, async (service) => {
    const { body } = await findChannel(service, which);
    assertTracker(body);
    const digest = image === undefined ? undefined : await findImage(service, image);
    return service.json<PreviewBody>('GET /channels/{id}/preview', {
      params: { id: body.id },
      query: { digest, cve },
    });
  });
  const lines = shown(answer.body);
  const width = terminal.tty.out ? Math.max(40, terminal.columns) : Infinity;
  const table = (): readonly string[] => lines.flatMap((line) => wrapped(line, width));
  await writeAnswer(targets, answer, { table, markdown: () => lines }, terminal, globals);
  return EXIT.done;
}

/** Sentences are wrapped; rows of a table and commands stand as they are. */
function wrapped(line: string, width: number): readonly string[] {
  return /\S {2}|^ {4}/.test(line) ? [line] : wrapWords(line, width);
}

function shown({ issue }: PreviewBody): readonly string[] {
  if (issue === null) return ['Nothing waits: no issue would be opened.'];
  const why = issue.routed_by === 'label' ? 'by the label of the image' : 'the default of the channel';
  const refused = issue.refused === null ? '' : `; ${REFUSED[issue.refused]}`;
  return [
    `in:      ${clean(issue.target)} (${why}${refused})`,
    `labels:  ${issue.labels.map((label) => clean(label)).join(', ') || 'none'}`,
    ...(issue.summary
      ? [`summary: of ${counted(issue.findings, 'finding')}, as the first run of the channel`]
      : []),
    `title:   ${clean(issue.title, 300)}`,
    '',
    ...linesOf(issue.text),
    ...issue.comments.flatMap((text) => ['', 'comment:', '', ...linesOf(text)]),
  ];
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').map((line) => clean(line, 1000));
}
