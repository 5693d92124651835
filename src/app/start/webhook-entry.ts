import { CountRelay } from '../webhook/count-relay.ts';
import { startWebhook } from '../webhook/start-webhook.ts';
import { measureProcess } from './process-gauges.ts';
import { runPart, type RunPartOptions } from './run-part.ts';

/** runWebhookPart makes this process the webhook's part of the service of its supervisor. */
export function runWebhookPart(options: Pick<RunPartOptions, 'process' | 'write'>): Promise<number> {
  return runPart({
    ...options,
    name: 'webhook',
    start: (basis, { link, lives }) => {
      const counted = new CountRelay();
      measureProcess('webhook', lives, counted);
      return startWebhook({ ...basis, link, counted, takesOver: lives > 0 });
    },
  });
}
