/**
 * `ipo completion`: what a shell needs to complete words of `ipo`, and the words themselves.
 * It uses `service` and `terminal`.
 */
import { Argument, Command } from 'commander';
import type { Listed, Settle } from '../terminal/listed.ts';
import { outputOption } from '../terminal/output-option.ts';
import { SHELLS } from './shells.ts';
import type { CompletionOptions } from './run.ts';

/** listed is `ipo completion` in the help. */
export const listed: Listed = {
  name: 'completion',
  summary: 'print a script that lets a shell complete commands, flags and names',
  group: 'The service:',
  place: 6,
  examples: ['ipo completion bash', 'ipo completion zsh', 'ipo completion fish'],
  define: completionCommand,
};

/** completionCommand defines `ipo completion`. */
function completionCommand(settle: Settle): Command {
  const command = new Command('completion')
    .description(
      'Print a script for your shell. Names of policies, channels and images come from the service that you are signed in to.',
    )
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addOption(outputOption())
    .addHelpText(
      'after',
      '\nTo load it in each new shell:\n' +
        '  bash   ipo completion bash > ~/.local/share/bash-completion/completions/ipo\n' +
        '  zsh    ipo completion zsh > "${fpath[1]}/_ipo"\n' +
        '  fish   ipo completion fish > ~/.config/fish/completions/ipo.fish\n',
    );
  command.action((shell: (typeof SHELLS)[number]) =>
    settle(async (terminal) => {
      const { runCompletion } = await import('./run.ts');
      return runCompletion(shell, command.opts<CompletionOptions>(), terminal);
    })(),
  );
  // What the scripts call; it is not in the help.
  const words = new Command('complete').argument('[word...]').allowUnknownOption();
  words.action((typed: string[]) =>
    settle(async (terminal) => {
      const { runComplete } = await import('./complete.ts');
      return runComplete(command.parent ?? command, typed, terminal);
    })(),
  );
  return command.addCommand(words, { hidden: true });
}
