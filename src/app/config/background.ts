import { z } from 'zod';

/** backgroundSetting says how far all but the webhook goes behind it. */
export const backgroundSetting = z.enum(['nice', 'idle']).default('nice').meta({
  description:
    'Priority of all but the webhook, where that has a process of its own. `nice`: a higher nice value. `idle`: the scheduler’s class for idle time, which gives a processor to the webhook at once (Linux with `chrt` and two processors; else as `nice`). It is for a container, whose other processes are only those of the service: beside others that are busy it would get nothing. The image sets it',
});
