import type { OnePackageBody } from '../../../src/api/contract/evidence.ts';
import { formatCount } from '../../../src/render/index.ts';
import { withService } from '../../service/client.ts';
import { confirm, holdConfirmable } from '../../terminal/confirm.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import { openParts } from '../../terminal/parts.ts';
import { Progress } from '../../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { holdTarget } from '../target.ts';
import { downloadFile } from './download-file.ts';
import { holdId } from './hold-id.ts';
import type { ServiceFlags } from '../../service/index.ts';

/** KeptOptions are the flags of the commands that act on one thing. */
export interface KeptOptions extends ServiceFlags {
  readonly yes?: true;
  readonly output: readonly string[];
}

/** KeptDownloadOptions are the flags of `ipo evidence download`. */
export interface KeptDownloadOptions extends KeptOptions {
  readonly out: string;
  readonly force?: true;
}

/** runEvidenceDownload is `ipo evidence download`. */
export async function runEvidenceDownload(
  id: string,
  options: KeptDownloadOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  holdId(id, 'package');
  const { out, force } = options;
  await holdTarget(out, force === true, terminal);
  return withService(terminal, options, async (service) => {
    const { body } = await service.json<OnePackageBody>('GET /evidence/{id}', { params: { id } });
    const progress = new Progress(
      terminal,
      globals,
      openParts(terminal).clock.now,
      'downloading the package',
    );
    try {
      const bytes = await downloadFile(service, body, out, (read) => {
        progress.bytes(read, body.bytes);
        progress.rows(body.progress.rows);
      });
      progress.end();
      await outcome.write(
        { ...body, file: out },
        `${out}: ${formatCount(bytes)} bytes, sha256 ${body.sha256}\n`,
      );
    } finally {
      progress.end();
    }
    return EXIT.done;
  });
}

/** runEvidenceCancel is `ipo evidence cancel`. */
export async function runEvidenceCancel(
  id: string,
  options: KeptOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  holdId(id, 'package');
  const { body } = await withService(terminal, options, (service) =>
    service.json<OnePackageBody>('POST /evidence/{id}/cancel', { params: { id } }),
  );
  await outcome.write(body, `${id} is cancelled\n`);
  return EXIT.done;
}

/** runEvidenceDelete is `ipo evidence delete`. Exit 1 when the person says no. */
export async function runEvidenceDelete(
  id: string,
  options: KeptOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  holdId(id, 'package');
  const yes = options.yes === true;
  holdConfirmable(terminal, yes, `deleting the package ${id}`);
  if (!yes && !(await confirm(`Delete the evidence package ${id}?`, terminal))) return EXIT.check;
  await withService(terminal, options, (service) =>
    service.json('DELETE /evidence/{id}', { params: { id } }),
  );
  await outcome.write({ id, deleted: true }, `${id} is deleted\n`);
  return EXIT.done;
}
