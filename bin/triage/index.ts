/**
 * `ipo triage`: that a CVE does not count on an image until a time.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { MARKED, outputOption } from '../terminal/output-option.ts';
import { wordOption } from '../terminal/word-option.ts';
import { withPaging } from '../terminal/paging-flags.ts';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import type { TriageAddOptions, TriageListOptions, TriageEndOptions } from './verbs.ts';

/** listed is `ipo triage` in the help. */
export const listed: Listed = {
  name: 'triage',
  summary: 'accept a CVE on an image until a date',
  group: 'Images and findings:',
  place: 3,
  examples: [
    "ipo triage add ghcr.io/acme/web:1.4 CVE-2024-3094 --reason 'the service is not started' --for 720h",
    "ipo triage add registry.example.com/static:7 --no-packages --reason 'built from scratch: one static file' --for 2160h",
    'ipo triage list --state active',
    'ipo triage end 1042',
  ],
  define: triageCommand,
};

/** triageCommand defines `ipo triage` and what stands below it. */
function triageCommand(settle: Settle): Command {
  const triage = new Command('triage').description(
    'Accept a CVE on an image until a time, or accept an image that contains no packages.',
  );
  for (const define of [add, list, end]) triage.addCommand(define(settle));
  return triage;
}

function add(settle: Settle): Command {
  const command = withServiceFlags(new Command('add'))
    .summary('accept a CVE on an image until a date, or an image without packages')
    .description(
      'Accept a CVE on an image until a date. The decision records its author, reason and end, and the highest severity of the findings.',
    )
    .argument('<image>', 'image: its digest, or a part of its digest or name')
    .argument('[cve]', 'CVE, as the findings name it')
    .addOption(
      new Option(
        '--no-packages',
        'instead of a CVE: the image contains no packages to scan, so DenyUntilScanned allows it',
      ),
    )
    .addOption(new Option('-r, --reason <text>', 'reason of the decision; required'))
    .addOption(
      new Option(
        '--until <time>',
        'end of the decision, RFC 3339 (default: sla.triage of the policies, or 2160 hours)',
      ),
    )
    .addOption(new Option('--for <duration>', 'duration of the decision, such as 720h').conflicts('until'))
    .addOption(outputOption(MARKED));
  return command.action((image: string, cve: string | undefined) =>
    settle(async (terminal, globals) => {
      const { runTriageAdd } = await import('./verbs.ts');
      return runTriageAdd(image, cve, command.opts<TriageAddOptions>(), terminal, globals);
    })(),
  );
}

function list(settle: Settle): Command {
  const command = withPaging(
    withServiceFlags(new Command('list'))
      .summary('list triage decisions')
      .description('List triage decisions, newest first.')
      .addOption(new Option('--image <image>', 'decisions on this image: its digest, or a part of its name'))
      .addOption(new Option('--cve <id>', 'decisions on this CVE'))
      .addOption(wordOption('--state <state>', 'active, expired or ended', ['active', 'expired', 'ended'])),
    'decisions',
  );
  return command.action(() =>
    settle(async (terminal, globals) => {
      const { runTriageList } = await import('./verbs.ts');
      return runTriageList(command.opts<TriageListOptions>(), terminal, globals);
    })(),
  );
}

function end(settle: Settle): Command {
  const command = withServiceFlags(new Command('end'))
    .summary('end a triage decision early')
    .description('End an active triage decision. Its CVE then counts again.')
    .argument('<id>', 'number of the decision, as ipo triage list shows it')
    .addOption(outputOption(MARKED));
  return command.action((id: string) =>
    settle(async (terminal, globals) => {
      const { runTriageEnd } = await import('./verbs.ts');
      return runTriageEnd(id, command.opts<TriageEndOptions>(), terminal, globals);
    })(),
  );
}
