import { setTimeout as sleep } from 'node:timers/promises';
import type { OnePackageBody } from '../../src/api/contract/evidence.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { formatTime, IpoError } from '../../src/base/index.ts';
import type { PackageSummary, Period } from '../../src/evidence/index.ts';
import { withService } from '../service/client.ts';
import type { ServiceFlags } from '../service/index.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { Progress } from '../terminal/progress.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { downloadFile } from './kept/download-file.ts';
import type { EvidenceCreateOptions } from './options.ts';
import { FORMATS, summaryLines, warnEmpty, writeView } from './view.ts';

/** Milliseconds until the service is asked again: soon at first, since many packages are quick. */
const WAITS = [200, 300, 500, 1000];

/** What is said while a stage lasts. */
const STAGES: Readonly<Record<string, string>> = {
  rows: 'reading the ledger',
  findings: 'reading findings',
  verify: 'verifying the rows',
  reports: 'writing the reports',
  store: 'storing the package',
};

/** createAtService has a service make a package, waits for it, and writes it where a file is named. */
export function createAtService(
  options: EvidenceCreateOptions,
  period: Period,
  flags: ServiceFlags,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const { framework, cluster, namespace, includeRuntimeRaw, wait, out } = options;
  const targets = parseOutputs(options.output, FORMATS, 'table', [out]);
  return withService(terminal, flags, async (service) => {
    const asked = await service.json<OnePackageBody>('POST /evidence', {
      body: {
        from: formatTime(period.from),
        to: formatTime(period.to),
        frameworks: framework,
        clusters: cluster,
        namespaces: namespace,
        include_runtime_raw: includeRuntimeRaw === true,
      },
    });
    const { id } = asked.body;
    if (!wait) {
      const lines = [`${id} waits to be made; ipo evidence list shows how far it has come`];
      await writeView(targets, asked.body, () => lines, terminal, globals);
      return EXIT.done;
    }
    if (!globals.quiet && terminal.tty.err)
      terminal.err(`ipo: the service makes the package ${id}; it goes on if you stop waiting\n`);
    const progress = new Progress(terminal, globals, openParts(terminal).clock.now);
    try {
      const made = await ended(service, id, progress);
      if (made.state === 'failed')
        throw new IpoError('server_fault', `the evidence package ${id} failed: ${made.error ?? 'unknown'}`);
      const bytes =
        out === undefined
          ? null
          : await downloadFile(service, made, out, (read) => {
              progress.says('downloading the package');
              progress.bytes(read, made.bytes);
              progress.rows(made.progress.rows);
            });
      progress.end();
      const summary = made.summary as unknown as PackageSummary;
      const file = out === undefined || bytes === null ? {} : { file: out, bytes };
      await writeView(
        targets,
        made,
        (paint) => [
          ...summaryLines(paint, { ...summary, ...file }),
          ...(out === undefined ? ['', `ipo evidence download ${id} --out evidence.zip downloads it`] : []),
        ],
        terminal,
        globals,
      );
      warnEmpty('ledger', summary, terminal, globals);
      return EXIT.done;
    } finally {
      progress.end();
    }
  });
}

async function ended(service: ServiceClient, id: string, progress: Progress): Promise<OnePackageBody> {
  for (let turn = 0; ; turn += 1) {
    const { body } = await service.json<OnePackageBody>('GET /evidence/{id}', { params: { id } });
    if (body.state === 'done' || body.state === 'failed') return body;
    const { stage, rows, total } = body.progress;
    progress.says(STAGES[stage ?? ''] ?? 'waiting for the service');
    progress.bytes(rows, total);
    progress.rows(rows);
    await sleep(WAITS[Math.min(turn, WAITS.length - 1)]);
  }
}
