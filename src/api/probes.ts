import type { Probe } from './server.ts';
import { shared } from './shared.ts';

/** ProbeParts are what the probes ask. */
export interface ProbeParts {
  /** Null when the service can answer calls; else why not. */
  unready(): Promise<string | null>;
  metrics(): Promise<{ readonly text: string; readonly type: string }>;
}

/** How long the series that were asked for are answered again: anybody may ask, as often as they like. */
const METRICS_MS = 1000;

/**
 * probes are the paths that a cluster asks: `/healthz` while the process lives at all, `/readyz` while it can answer calls,
 * `/metrics` for Prometheus. None tells a secret, so nobody needs to be signed in.
 */
export function probes(parts: ProbeParts): Probe[] {
  const metrics = shared(
    async () => {
      const { text, type } = await parts.metrics();
      return { body: Buffer.from(text, 'utf8'), type };
    },
    METRICS_MS,
    () => performance.now(),
  );
  return [
    { path: '/healthz', handle: async () => ({ body: 'ok\n', type: 'text/plain; charset=utf-8' }) },
    {
      path: '/readyz',
      handle: async () => {
        const reason = await parts.unready();
        return reason === null
          ? { body: 'ok\n', type: 'text/plain; charset=utf-8' }
          : { status: 503, body: `not ready: ${reason}\n`, type: 'text/plain; charset=utf-8' };
      },
    },
    {
      path: '/metrics',
      handle: metrics,
    },
  ];
}
