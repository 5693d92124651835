/**
 * `ipo vulns`: which vulnerabilities the images have.
 * It uses `images`, `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { wordOption } from '../terminal/word-option.ts';
import { withPaging } from '../terminal/paging-flags.ts';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import type { VulnsOptions } from './run.ts';

/** listed is `ipo vulns` in the help. */
export const listed: Listed = {
  name: 'vulns',
  summary: 'list the vulnerabilities of images',
  group: 'Images and findings:',
  place: 2,
  examples: [
    'ipo vulns',
    'ipo vulns --severity CRITICAL --fixable true --triaged false',
    'ipo vulns --search log4j -o json',
  ],
  define: vulnsCommand,
};

/** vulnsCommand defines `ipo vulns`. */
function vulnsCommand(settle: Settle): Command {
  const yes = (flags: string, text: string) => new Option(flags, `${text}: true or false`);
  const command = withPaging(
    withServiceFlags(new Command('vulns'))
      .description('List the vulnerabilities that the newest scans found, one line per CVE.')
      .addOption(new Option('--severity <list>', 'CVEs of these severities, as CRITICAL,HIGH'))
      .addOption(yes('--known-exploited <answer>', 'CVEs that are known to be exploited'))
      .addOption(yes('--fixable <answer>', 'CVEs with a fixed version'))
      .addOption(yes('--triaged <answer>', 'CVEs that triage decisions cover on every affected image'))
      .addOption(
        new Option('--image <image>', 'CVEs of this image: its digest, or a part of its digest or name'),
      )
      .addOption(new Option('-n, --namespace <name>', 'CVEs of images seen in this namespace'))
      .addOption(new Option('--search <text>', 'text in the ID or in the name of a package'))
      .addOption(
        wordOption('--sort <order>', 'severity, cve, images or known_exploited (default: severity)', [
          'severity',
          'cve',
          'images',
          'known_exploited',
        ]),
      )
      .addOption(
        wordOption('--order <direction>', 'asc or desc (default: asc for ids, desc for the rest)', [
          'asc',
          'desc',
        ]),
      ),
    'vulnerabilities',
  );
  return command.action(() =>
    settle(async (terminal, globals) => {
      const { runVulns } = await import('./run.ts');
      return runVulns(command.opts<VulnsOptions>(), terminal, globals);
    })(),
  );
}
