import type { LicenceBody } from '../../src/api/contract/licence.ts';
import { withService } from '../service/client.ts';
import { confirm, holdConfirmable } from '../terminal/confirm.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { parseOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { MAX_FILE, ofFile } from './of-file.ts';
import { licenceText } from './view.ts';
import type { ServiceFlags } from '../service/index.ts';

/** LicenceOptions are the flags of the commands that call a service and print what it answers. */
export interface LicenceOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** LicenceRequestOptions are the flags of `ipo licence request`. */
export interface LicenceRequestOptions extends LicenceOptions {
  readonly out?: string;
}

/** runLicenceShow is `ipo licence show`. */
export async function runLicenceShow(options: LicenceOptions, terminal: Terminal): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const { body } = await withService(terminal, options, (service) =>
    service.json<LicenceBody>('GET /system/licence'),
  );
  await outcome.write(body, licenceText(body));
  return EXIT.done;
}

/** runLicenceRequest is `ipo licence request`. */
export async function runLicenceRequest(
  options: LicenceRequestOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const [target] = parseOutputs(options.output, ['json'], 'json');
  const { body } = await withService(terminal, options, (service) =>
    service.json('POST /system/licence/request'),
  );
  const text = `${JSON.stringify(body)}\n`;
  const path = options.out ?? target?.path ?? null;
  if (path === null) terminal.out(text);
  else await openParts(terminal).writeFile(path, text);
  return EXIT.done;
}

/** runLicenceActivate is `ipo licence activate`. */
export async function runLicenceActivate(
  file: string | undefined,
  options: LicenceOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const certificate = file === undefined ? null : await openParts(terminal).readText(file, MAX_FILE);
  const { body } = await withService(terminal, options, async (service) => {
    if (file === undefined) return service.json<LicenceBody>('POST /system/licence/check');
    try {
      return await service.json<LicenceBody>('PUT /system/licence', { body: { certificate } });
    } catch (error) {
      throw ofFile(file, error);
    }
  });
  await outcome.write(body, licenceText(body));
  return EXIT.done;
}

/** runLicenceDeactivate is `ipo licence deactivate`. Exit 1 when the person says no. */
export async function runLicenceDeactivate(
  options: LicenceOptions & { readonly yes?: true },
  terminal: Terminal,
  { quiet }: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  holdConfirmable(terminal, options.yes === true, 'ipo licence deactivate');
  return withService(terminal, options, async (service) => {
    const question = `Remove the licence certificate and its ceilings at ${service.server}?`;
    if (options.yes !== true && !(await confirm(question, terminal))) {
      if (!quiet) terminal.err('ipo: nothing was changed\n');
      return EXIT.check;
    }
    await service.json('DELETE /system/licence');
    await outcome.write({ state: 'none' }, 'No certificate is active. There is no ceiling.\n');
    return EXIT.done;
  });
}
