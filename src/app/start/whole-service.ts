/** The whole service in one process, for a daemon without a webhook: loaded then alone, since who supervises needs none of it. */
export { serve } from './serve.ts';
