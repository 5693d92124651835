import type { Probe } from './server.ts';

/** ProbeParts are what the probes ask. */
export interface ProbeParts {
  /** Null when the service can answer calls; else why not. */
  unready(): Promise<string | null>;
  metrics(): Promise<{ readonly text: string; readonly type: string }>;
}

/**
 * probes are the paths that a cluster asks: `/healthz` while the process lives at all, `/readyz` while it can answer calls,
 * `/metrics` for Prometheus. None tells a secret, so nobody needs to be signed in.
 */
export function probes(parts: ProbeParts): Probe[] {
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
      handle: async () => {
        const { text, type } = await parts.metrics();
        return { body: text, type };
      },
    },
  ];
}
