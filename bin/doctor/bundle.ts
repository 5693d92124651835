import { redactAll } from './redact.ts';

/** BundleParts are what a report to others is made of. */
export interface BundleParts {
  readonly body: unknown;
  /** As the API answers it; null where no service was asked. */
  readonly health: unknown;
  readonly now: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Variables that hold a secret, whatever it looks like. */
const SECRET = /TOKEN|SECRET|PASSWORD|PASSPHRASE|KEY|DATABASE|PROXY/;

/** bundleOf writes a report that can be sent to others: hosts, addresses and people under other names, and no secret. */
export function bundleOf({ body, health, now, env }: BundleParts): string {
  const secrets = Object.entries(env).flatMap(([name, value]) =>
    SECRET.test(name) && value !== undefined && value.length >= 6 ? [value] : [],
  );
  const report = {
    format: 'ipo-doctor-1',
    made_at: new Date(now).toISOString(),
    platform: { os: process.platform, architecture: process.arch, node: process.version },
    report: body,
    health,
  };
  return `${JSON.stringify(redactAll(report, secrets), null, 2)}\n`;
}
