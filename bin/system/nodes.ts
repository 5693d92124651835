import type { NodesBody } from '../../src/api/contract/nodes.ts';
import { toYaml } from '../../src/render/index.ts';
import { withService } from '../service/client.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { renderRows, shortMoment } from '../terminal/rows.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ServiceFlags } from '../service/index.ts';

/** SystemOptions are the flags of `ipo system nodes`. */
export interface SystemOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** runSystemNodes is `ipo system nodes`. */
export async function runSystemNodes(options: SystemOptions, terminal: Terminal): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['table', 'json', 'yaml'], 'table');
  const { body, text } = await withService(terminal, options, (service) =>
    service.json<NodesBody>('GET /system/nodes'),
  );
  const forms = { table: () => table(body, terminal), json: () => `${text}\n`, yaml: () => toYaml(body) };
  await writeOutputs(targets, (format) => forms[format](), openParts(terminal), terminal);
  return EXIT.done;
}

function table({ items, month }: NodesBody, terminal: Terminal): Promise<string> {
  const columns = [
    { heading: 'cluster', flex: 1 },
    { heading: 'nodes', align: 'right' as const },
    { heading: 'ceiling', align: 'right' as const },
    { heading: 'state' },
    { heading: 'enforced from (UTC)' },
    { heading: `names of ${month}`, align: 'right' as const },
    { heading: 'counted (UTC)' },
  ];
  const rows = items.map(({ cluster, count, ceiling, state, enforced_from, names, counted_at }) => [
    cluster === '' ? '–' : cluster,
    String(count),
    ceiling === null ? 'none' : String(ceiling),
    state,
    shortMoment(enforced_from ?? null),
    String(names),
    shortMoment(counted_at),
  ]);
  return renderRows(columns, rows, 'No cluster was counted yet.', terminal);
}
