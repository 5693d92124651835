import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundleBody, DetectorBody } from '../../../src/api/contract/detector.ts';
import { assertNew, writeNew } from '../../files/index.ts';
import { withService } from '../../service/client.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import { openParts } from '../../terminal/parts.ts';
import { shortMoment } from '../../terminal/rows.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { ServiceFlags } from '../../service/index.ts';

/** DetectorFlags are those of `ipo runtime detector status`. */
export interface DetectorFlags extends ServiceFlags {
  readonly output: readonly string[];
}

/** DetectorBundleFlags are those of `ipo runtime detector bundle`. */
export interface DetectorBundleFlags extends DetectorFlags {
  readonly out: string;
}

const FILES = ['ca.crt', 'client.crt', 'client.key'] as const;

/** runDetectorBundle is `ipo runtime detector bundle`. */
export async function runDetectorBundle(options: DetectorBundleFlags, terminal: Terminal): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const paths = FILES.map((name) => join(options.out, name));
  const parts = openParts(terminal);
  // Before the service is asked: each download stands in its audit log.
  for (const path of paths) await assertNew(path, parts);
  const { body } = await withService(terminal, options, (service) =>
    service.json<BundleBody>('GET /integrations/detector/bundle'),
  );
  await mkdir(options.out, { recursive: true, mode: 0o700 });
  for (const [at, name] of FILES.entries()) await writeNew(paths[at] ?? name, body[name]);
  await outcome.write(
    { files: paths, ends_at: body.ends_at },
    `${paths.join('\n')}\nThe certificate ends on ${shortMoment(body.ends_at)} (UTC). Anyone who has client.key can send events.\n`,
  );
  return EXIT.done;
}

/** runDetectorStatus is `ipo runtime detector status`. */
export async function runDetectorStatus(options: DetectorFlags, terminal: Terminal): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const { body } = await withService(terminal, options, (service) =>
    service.json<DetectorBody>('GET /integrations/detector'),
  );
  const { enabled, port, fault, certificate, last_event_at: last } = body;
  const lines = enabled
    ? [
        port === null ? `Does not listen: ${fault}.` : `Listens on port ${port}.`,
        last === null
          ? 'The service has stored no event since it started.'
          : `The last event was stored at ${shortMoment(last)} (UTC).`,
        ...(certificate === null
          ? []
          : [`The certificate of the detector ends on ${shortMoment(certificate.ends_at)} (UTC).`]),
        ...(typeof certificate?.message === 'string' ? [`Note: ${certificate.message}.`] : []),
      ]
    : ['The listener is off. Turn it on: chart value or setting integrations.detector.enabled=true.'];
  await outcome.write(body, `${lines.join('\n')}\n`);
  return EXIT.done;
}
