/**
 * The commands of `ipo evidence` for packages that a service keeps, and for what the organisation declares.
 * It uses `service` and `terminal`.
 */
import { Command, Option } from 'commander';
import { withServiceFlags } from '../../service/index.ts';
import type { Settle } from '../../terminal/listed.ts';
import { outputOption } from '../../terminal/output-option.ts';
import { withPaging } from '../../terminal/paging-flags.ts';
import type { KeptListOptions } from './list.ts';
import type { KeptOptions, KeptDownloadOptions } from './verbs.ts';
import type { KeptDeclareOptions } from './declare.ts';

/** listCommand is `ipo evidence list`. */
export function listCommand(settle: Settle): Command {
  const command = withPaging(withServiceFlags(new Command('list')), 'packages')
    .summary('list the packages of a service')
    .description('List the packages that a service keeps or is making, newest first.');
  return command.action(
    settle(async (terminal, globals) => {
      const { runEvidenceList } = await import('./list.ts');
      return runEvidenceList(command.opts<KeptListOptions>(), terminal, globals);
    }),
  );
}

/** downloadCommand is `ipo evidence download`. */
export function downloadCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('download'))
    .summary('download a package from a service')
    .description('Download a package and compare it with its digest. Each download is in the audit log.')
    .argument('<id>', 'the package')
    .addOption(new Option('--out <file>', 'the file to write, a .zip file').makeOptionMandatory())
    .addOption(new Option('--force', 'overwrite the file if it is there'))
    .addOption(outputOption());
  return command.action((id: string) =>
    settle(async (terminal, globals) => {
      const { runEvidenceDownload } = await import('./verbs.ts');
      return runEvidenceDownload(id, command.opts<KeptDownloadOptions>(), terminal, globals);
    })(),
  );
}

/** cancelCommand is `ipo evidence cancel`. */
export function cancelCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('cancel'))
    .summary('cancel a package that waits or is being made')
    .description('Cancel a package that waits or is being made. It stays in the list as failed.')
    .argument('<id>', 'the package')
    .addOption(outputOption());
  return command.action((id: string) =>
    settle(async (terminal) => {
      const { runEvidenceCancel } = await import('./verbs.ts');
      return runEvidenceCancel(id, command.opts<KeptOptions>(), terminal);
    })(),
  );
}

/** deleteCommand is `ipo evidence delete`. */
export function deleteCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('delete'))
    .summary('delete a package of a service')
    .description('Delete a package and its ZIP file. Files that were downloaded stay valid.')
    .argument('<id>', 'the package')
    .addOption(new Option('-y, --yes', 'delete without asking for confirmation'))
    .addOption(outputOption());
  return command.action((id: string) =>
    settle(async (terminal) => {
      const { runEvidenceDelete } = await import('./verbs.ts');
      return runEvidenceDelete(id, command.opts<KeptOptions>(), terminal);
    })(),
  );
}

/** declareCommand is `ipo evidence declare`. */
export function declareCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('declare'))
    .summary('add a declaration that packages print')
    .description(
      'Record a declaration, which is a statement of the organisation. Evidence packages print the declarations that were valid in their period, with the account that made them.',
    )
    .argument('<statement>', 'the statement, at most 2000 characters')
    .addOption(new Option('--until <time>', 'end of its validity, RFC 3339 (default: never)'))
    .addOption(outputOption());
  return command.action((statement: string) =>
    settle(async (terminal) => {
      const { runEvidenceDeclare } = await import('./declare.ts');
      return runEvidenceDeclare(statement, command.opts<KeptDeclareOptions>(), terminal);
    })(),
  );
}

/** declarationsCommand is `ipo evidence declarations`. */
export function declarationsCommand(settle: Settle): Command {
  const command = withPaging(withServiceFlags(new Command('declarations')), 'declarations')
    .summary('list what the organisation declares')
    .description(
      'List declarations, also those that have ended: packages of earlier periods still contain them.',
    );
  return command.action(
    settle(async (terminal, globals) => {
      const { runEvidenceDeclarations } = await import('./declare.ts');
      return runEvidenceDeclarations(command.opts<KeptListOptions>(), terminal, globals);
    }),
  );
}

/** withdrawCommand is `ipo evidence withdraw`. */
export function withdrawCommand(settle: Settle): Command {
  const command = withServiceFlags(new Command('withdraw'))
    .summary('end a declaration now')
    .description('End a declaration now. Packages of earlier periods still contain it.')
    .argument('<id>', 'the declaration')
    .addOption(outputOption());
  return command.action((id: string) =>
    settle(async (terminal) => {
      const { runEvidenceWithdraw } = await import('./declare.ts');
      return runEvidenceWithdraw(id, command.opts<KeptOptions>(), terminal);
    })(),
  );
}
