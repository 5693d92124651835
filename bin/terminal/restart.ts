import { isSea } from 'node:sea';

/**
 * restart restarts this process with flags of the engine, which it takes only at its start: with its number, its terminal, its arguments and
 * its environment as they are. Call it before anything is opened or read. Does nothing where it began with them, or the system has no such call.
 */
export function restart(flags: readonly string[]): void {
  const { execPath, execArgv, argv, env, platform } = process;
  if (process.execve === undefined || platform === 'win32') return;
  // The standalone program takes flags of the engine only from the environment.
  const { NODE_OPTIONS: options = '' } = env;
  const begun = isSea() ? options.split(' ') : execArgv;
  if (flags.every((flag) => begun.includes(flag))) return;
  if (isSea())
    process.execve(execPath, [execPath, ...argv.slice(2)], {
      ...env,
      NODE_OPTIONS: `${options} ${flags.join(' ')}`.trim(),
    });
  else process.execve(execPath, [execPath, ...execArgv, ...flags, ...argv.slice(1)], env);
}
