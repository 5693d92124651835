import type { ReplicasBody } from '../../src/api/contract/replicas.ts';
import { clean } from '../terminal/clean.ts';
import { confirm, holdConfirmable } from '../terminal/confirm.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { renderRows, shortMoment } from '../terminal/rows.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import type { ServiceFlags } from '../service/index.ts';

/** ClusterReplicasOptions are the flags of `ipo cluster replicas`. */
export interface ClusterReplicasOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** ClusterForgetReplicaOptions are the flags of `ipo cluster forget-replica`. */
export interface ClusterForgetReplicaOptions extends ClusterReplicasOptions {
  readonly yes?: true;
}

/** runClusterReplicas is `ipo cluster replicas`. */
export async function runClusterReplicas(
  options: ClusterReplicasOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const answered = await withService(terminal, options, (service) =>
    service.json<ReplicasBody>('GET /system/replicas'),
  );
  await outcome.answer(answered, () => table(answered.body.items, terminal));
  return EXIT.done;
}

async function table(replicas: ReplicasBody['items'], terminal: Terminal): Promise<string> {
  const columns = [
    { heading: 'name', flex: 1 },
    { heading: 'state' },
    { heading: 'seen (UTC)' },
    { heading: 'may hold rows since (UTC)' },
    { heading: 'rows' },
  ];
  const rows = replicas.map(({ name, state, seen_at, started_at, holding_since, accounted_until, rows }) => {
    const holds = state === 'spools' || state === 'missing';
    const since = holding_since ?? accounted_until ?? started_at;
    return [name, state, shortMoment(seen_at), holds ? shortMoment(since) : '-', String(rows)];
  });
  const shown = await renderRows(columns, rows, 'No replica.', terminal);
  const missing = replicas.filter(({ state }) => state === 'missing');
  return missing.length === 0 ? shown : `${shown}\n${missingHint(missing)}`;
}

function missingHint(missing: ReplicasBody['items']): string {
  const names = missing.map(({ name }) => clean(name)).join(', ');
  return (
    `Sweeps skip the pods that ${names} may have reviewed.\n` +
    'Start it again on its volume. If the volume is lost, run ipo cluster forget-replica NAME.\n'
  );
}

/** runClusterForgetReplica is `ipo cluster forget-replica`. Exit 1 when the person says no. */
export async function runClusterForgetReplica(
  name: string,
  options: ClusterForgetReplicaOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  holdConfirmable(terminal, options.yes === true, 'ipo cluster forget-replica');
  return withService(terminal, options, async (service) => {
    const question = `Forget ${clean(name)} at ${service.server}, and count the rows that it may hold as lost?`;
    if (options.yes !== true && !(await confirm(question, terminal))) {
      if (!globals.quiet) terminal.err('ipo: nothing was changed\n');
      return EXIT.check;
    }
    await service.json('DELETE /system/replicas/{name}', { params: { name } });
    await outcome.write({ name, state: 'forgotten' }, '');
    if (!globals.quiet)
      terminal.err(`ipo: replica ${clean(name)} is forgotten; the next sweep no longer waits for it\n`);
    return EXIT.done;
  });
}
