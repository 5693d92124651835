/** The whole service in one process, for a daemon without a webhook: loaded only then, since the supervisor needs none of it. */
export { serve } from './serve.ts';
