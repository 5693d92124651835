import { isUtf8 } from 'node:buffer';
import { toNetworkFault } from './faults.ts';
import { ServiceError } from './service-error.ts';

/** readBody reads the text of an answer of at most `max` bytes. Throws ServiceError. */
export async function readBody(
  server: string,
  body: AsyncIterable<Uint8Array>,
  max: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > max) break; // ends the connection
      chunks.push(chunk);
    }
  } catch (error) {
    throw toNetworkFault(server, error);
  }
  if (size > max) {
    throw new ServiceError(
      'network',
      `${server} answered with more than ${Math.floor(max / 1_048_576)} MiB`,
      {
        hint: 'Ask for fewer entries, with --limit',
      },
    );
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new ServiceError('network', `${server} gave an answer that is not UTF-8 text`);
  return bytes.toString('utf8');
}
