import { Command, Option } from 'commander';
import type { Settle } from '../ui/settle.ts';

/** DemoFlags are the flags of `ipo demo` as commander gives them. */
export interface DemoFlags {
  readonly listen: string;
}

/** demoCommand defines `ipo demo`. */
export function demoCommand(settle: Settle): Command {
  const command = new Command('demo')
    .description(
      'Starts the service with 30 days of admissions of a made-up shop that end now, and prints how to sign in and what to try. Ctrl-C ends it; nothing is left behind.',
    )
    .addOption(
      new Option('-l, --listen <host:port>', 'where it listens; port 0 takes a free one').default(
        '127.0.0.1:8080',
      ),
    );
  return command.action(
    settle(async (terminal, globals) => {
      const { runDemo } = await import('../run/demo.ts');
      return runDemo(command.opts<DemoFlags>(), terminal, globals);
    }),
  );
}
