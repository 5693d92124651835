import type { CustomFetch } from 'openid-client';

/** MAX_ANSWER is how many bytes an answer of the provider may have. */
const MAX_ANSWER = 1_048_576;

/**
 * boundedFetch calls the provider: no redirect is followed (a secret would travel along), and an answer that grows beyond its
 * bound is cut off with an error.
 */
export const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, { ...(options as RequestInit), redirect: 'manual' });
  if (response.body === null) return response;
  let left = MAX_ANSWER;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left < 0) controller.error(new TypeError(`the answer has more than ${MAX_ANSWER} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(bound), { status, statusText, headers });
};
