import type { SessionBody } from '../../src/api/contract/session.ts';
import { toYaml } from '../../src/render/index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { shortMoment } from '../terminal/rows.ts';
import { withService } from '../service/client.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ServiceFlags } from '../service/index.ts';

/** WhoamiOptions are the flags of `ipo whoami`. */
export interface WhoamiOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** runWhoami is `ipo whoami`. */
export async function runWhoami(options: WhoamiOptions, terminal: Terminal): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['table', 'json', 'yaml'], 'table');
  const { body, text, server } = await withService(terminal, options, async (service) => ({
    ...(await service.json<SessionBody>('GET /session')),
    server: service.server,
  }));
  const render = (format: 'table' | 'json' | 'yaml'): string => {
    if (format === 'json') return `${text}\n`;
    return format === 'yaml' ? toYaml(body) : inWords(body, server);
  };
  await writeOutputs(targets, render, openParts(terminal), terminal);
  return EXIT.done;
}

function inWords({ account, role, via, token_id, expires_at }: SessionBody, server: string): string {
  const { name, email } = account;
  let who = name ?? email ?? account.id;
  if (name !== null && email !== null) who = `${name} <${email}>`;
  const by = via === 'token' ? `token ${token_id}` : 'session';
  return `${clean(who)}, ${role} at ${server}, by a ${by} until ${shortMoment(expires_at)} UTC\n`;
}
