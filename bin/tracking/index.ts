/**
 * `ipo tracking`: what was filed with trackers, and what became of it.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { MARKED, outputOption } from '../terminal/output-option.ts';
import { wordOption } from '../terminal/word-option.ts';
import { withPaging } from '../terminal/paging-flags.ts';
import { withServiceFlags } from '../service/index.ts';
import type { Listed, Settle } from '../terminal/listed.ts';
import type { TrackingListOptions, TrackingRowOptions } from './list.ts';
import type { TrackingSummaryOptions } from './summary.ts';

const ID = 'number of the row, as ipo tracking list shows it';

/** listed is `ipo tracking` in the help. */
export const listed: Listed = {
  name: 'tracking',
  summary: 'show the issue of each finding, and how it ended',
  group: 'Images and findings:',
  place: 7,
  examples: [
    'ipo tracking list --state open',
    'ipo tracking list --returned',
    'ipo tracking list --kind runtime --state open',
    'ipo tracking show 42',
    'ipo tracking summary --from 2026-08-01T00:00:00Z --to 2026-11-01T00:00:00Z',
    'ipo tracking reopen 42',
    'ipo tracking confirm 42',
  ],
  define: trackingCommand,
};

/** trackingCommand defines `ipo tracking` and what stands below it. */
function trackingCommand(settle: Settle): Command {
  const tracking = new Command('tracking').description(
    'Show the history of the issues of critical findings; reopen a finding, or confirm that it is fixed.',
  );
  for (const define of [list, show, summary, reopen, confirm]) tracking.addCommand(define(settle));
  return tracking;
}

function list(settle: Settle): Command {
  const command = withPaging(
    withServiceFlags(new Command('list'))
      .summary('list findings and runtime alerts with their issues, newest first')
      .description(
        'List critical findings and runtime alerts that a tracker channel filed, newest first, with their outcomes.',
      )
      .addOption(wordOption('--state <state>', 'open or closed', ['open', 'closed']))
      .addOption(
        wordOption(
          '--reason <reason>',
          'closed as fixed, triaged, image_retired, or quiet (only runtime alerts)',
          ['fixed', 'triaged', 'image_retired', 'quiet', 'released'],
        ),
      )
      .addOption(wordOption('--kind <kind>', 'finding or runtime', ['finding', 'runtime']))
      .addOption(
        new Option('--image <part>', 'rows whose image contains this text; upper and lower case are equal'),
      )
      .addOption(new Option('--cve <id>', 'rows of this CVE'))
      .addOption(new Option('--rule <rule>', 'rows of alerts of this rule of the runtime detector'))
      .addOption(
        new Option('--channel <channel>', 'rows that this channel closes; also the ID of a deleted channel'),
      )
      .addOption(new Option('--returned', 'only closed rows whose finding has come back'))
      .addOption(new Option('--failed', 'only rows whose last call to the tracker failed')),
    'rows',
  );
  return command.action(
    settle(async (terminal, globals) => {
      const { runTrackingList } = await import('./list.ts');
      return runTrackingList(command.opts<TrackingListOptions>(), terminal, globals);
    }),
  );
}

function show(settle: Settle): Command {
  const command = withServiceFlags(new Command('show'))
    .summary('show the details of a row')
    .description('Show a row: its issue, its state or outcome, and its last error.')
    .argument('<id>', ID)
    .addOption(outputOption(MARKED));
  return command.action((id: string) =>
    settle(async (terminal, globals) => {
      const { runTrackingShow } = await import('./list.ts');
      return runTrackingShow(id, command.opts<TrackingRowOptions>(), terminal, globals);
    })(),
  );
}

function summary(settle: Settle): Command {
  const command = withServiceFlags(new Command('summary'))
    .summary('count the findings of a period by outcome')
    .description(
      'Count the critical findings of a period by outcome, and show the state of the remediation windows. ' +
        'Only the outcome fixed counts as remediation.',
    )
    .addOption(
      new Option('--from <time>', 'findings raised since this time, RFC 3339 (default: 90 days ago)'),
    )
    .addOption(new Option('--to <time>', 'findings raised until this time, RFC 3339 (default: now)'))
    .addOption(outputOption(MARKED));
  return command.action(
    settle(async (terminal, globals) => {
      const { runTrackingSummary } = await import('./summary.ts');
      return runTrackingSummary(command.opts<TrackingSummaryOptions>(), terminal, globals);
    }),
  );
}

function reopen(settle: Settle): Command {
  const command = withServiceFlags(new Command('reopen'))
    .summary('open a new issue for a finding that came back')
    .description(
      'Reopen a closed row whose finding the newest scan reports again. The channel opens a new issue for the finding, ' +
        'within its dailyCap. Needs the role deployer.',
    )
    .argument('<id>', ID)
    .addOption(outputOption(MARKED));
  return command.action((id: string) =>
    settle(async (terminal, globals) => {
      const { runTrackingDecide } = await import('./decide.ts');
      return runTrackingDecide('reopen', id, command.opts<TrackingRowOptions>(), terminal, globals);
    })(),
  );
}

function confirm(settle: Settle): Command {
  const command = withServiceFlags(new Command('confirm'))
    .summary('confirm that a finding is fixed')
    .description(
      'Confirm that a finding is fixed. Use it if the newest scan no longer reports the finding, but its database is older or ' +
        'another scanner made it. The next sweep closes the row as fixed. Needs the role deployer.',
    )
    .argument('<id>', ID)
    .addOption(outputOption(MARKED));
  return command.action((id: string) =>
    settle(async (terminal, globals) => {
      const { runTrackingDecide } = await import('./decide.ts');
      return runTrackingDecide('confirm', id, command.opts<TrackingRowOptions>(), terminal, globals);
    })(),
  );
}
