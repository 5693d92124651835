import { homedir } from 'node:os';
import { join } from 'node:path';
import { serve, type RunningService } from '../../src/app/index.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { usesColor, type GlobalOptions, type Terminal } from '../terminal/terminal.ts';
import { VERSION } from '../terminal/version.ts';

/** ServeFlags are the flags of `ipo serve` as commander gives them. */
export interface ServeFlags {
  readonly config?: string;
  readonly data?: string;
  readonly listen?: string;
}

/** runServe is `ipo serve`: the service in this process until a signal, its log on stderr, what to try on stdout. */
export async function runServe(
  flags: ServeFlags,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const given = (path: 'data' | 'listen') =>
    flags[path] === undefined ? [] : [{ path, flag: `--${path}`, value: flags[path] }];
  const code = await serve({
    sources: {
      file: flags.config ?? null,
      env: terminal.env,
      flags: [...given('data'), ...given('listen')],
      standards: [{ path: 'data', value: standardData(terminal.env) }],
    },
    version: VERSION,
    write: (line) => terminal.err(line),
    ...(terminal.tty.err && { pretty: { color: usesColor(terminal, globals, 'err') } }),
    stacks: globals.verbose === true,
    process,
    started: (service) => {
      if (!globals.quiet) terminal.out(welcome(service));
    },
  });
  return code as ExitCode;
}

/** Where a laptop keeps it: `$XDG_DATA_HOME/ipo`, else below `~/.local/share`. */
function standardData({ XDG_DATA_HOME: xdg, HOME: home }: Terminal['env']): string {
  return join(
    xdg !== undefined && xdg.startsWith('/') ? xdg : join(home ?? homedir(), '.local', 'share'),
    'ipo',
  );
}

function welcome({ url, setupCode, data }: RunningService): string {
  const first =
    setupCode === null
      ? ''
      : `  Setup code   ${setupCode}\n\nThere is no administrator yet. Create the first one in another terminal:\n  ipo login ${url} --setup\n`;
  const next = setupCode === null ? `\nIn another terminal:\n  ipo login ${url}\n` : 'Then:\n';
  return `The service runs; Ctrl-C ends it.

  Address      ${url}
  Data         ${data}
${first}${next}  ipo policy init > policy.yaml && ipo policy apply policy.yaml
  ipo whatif policy.yaml --server
  ipo ledger checkpoint --save checkpoint.txt
`;
}
