/**
 * `ipo runtime detector`: connecting Falco, or falcosidekick, with a service.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../../service/index.ts';
import type { Settle } from '../../terminal/listed.ts';
import { outputOption } from '../../terminal/output-option.ts';
import type { DetectorFlags, DetectorBundleFlags } from './bundle.ts';
import type { DetectorSetupFlags } from './setup.ts';

/** detectorCommand defines `ipo runtime detector` and what stands below it. */
export function detectorCommand(settle: Settle): Command {
  const detector = new Command('detector')
    .summary('connect Falco with a service')
    .description('Connect Falco, or falcosidekick, with the listener of a service.');
  for (const define of [setup, bundle, status]) detector.addCommand(define(settle));
  return detector;
}

function setup(settle: Settle): Command {
  const command = withServiceFlags(new Command('setup'))
    .summary('print the values for the charts of Falco, and wait for the first event')
    .description(
      'Print the values for the Helm charts of Falco and falcosidekick. Then wait for the first event, and say what arrived.',
    )
    .addOption(
      new Option(
        '--connection <kind>',
        'what calls the listener: Falco itself (mtls), or falcosidekick (sidekick)',
      )
        .choices(['mtls', 'sidekick'])
        .default('mtls'),
    )
    .addOption(
      new Option('--url <url>', 'address at which the detector reaches the listener: https://HOST:8444'),
    )
    .addOption(
      new Option(
        '--secret <name>',
        'Secret with the files of detector bundle; you create it in the namespace of Falco',
      ).default('ipo-detector'),
    )
    .addOption(outputOption('yaml or json, for the values', 'yaml'))
    .addOption(new Option('--no-wait', 'print the values, and do not wait'))
    .addOption(new Option('--wait-for <duration>', 'time to wait for the first event').default('10m'));
  return command.action(() =>
    settle(async (terminal, globals) => {
      const { runDetectorSetup } = await import('./setup.ts');
      return runDetectorSetup(command.opts<DetectorSetupFlags>(), terminal, globals);
    })(),
  );
}

function bundle(settle: Settle): Command {
  const command = withServiceFlags(new Command('bundle'))
    .summary('download the certificate of the detector')
    .description(
      'Download the three files by which the detector is accepted: ca.crt, client.crt and client.key. Needs an administrator.',
    )
    .option('--out <dir>', 'directory for the files; existing files are not overwritten', 'detector')
    .addOption(outputOption());
  return command.action(() =>
    settle(async (terminal) => {
      const { runDetectorBundle } = await import('./bundle.ts');
      return runDetectorBundle(command.opts<DetectorBundleFlags>(), terminal);
    })(),
  );
}

function status(settle: Settle): Command {
  const command = withServiceFlags(new Command('status'))
    .summary('show the state of the listener and the certificate')
    .description(
      'Show whether the service listens to the detector, when the last event arrived, and when the certificate expires.',
    )
    .addOption(outputOption());
  return command.action(() =>
    settle(async (terminal) => {
      const { runDetectorStatus } = await import('./bundle.ts');
      return runDetectorStatus(command.opts<DetectorFlags>(), terminal);
    })(),
  );
}
