import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * readOn reads and discards the body of a request that is turned away. One of more than `most` bytes, or of unknown length, is not waited for:
 * its connection ends with the answer. A shorter one is, since a client that still sends could lose the answer with its connection.
 */
export function readOn(request: IncomingMessage, response: ServerResponse, most: number): void {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (Number(length ?? (coding === undefined ? 0 : Infinity)) > most)
    response.setHeader('connection', 'close');
  if (!request.readableFlowing) request.resume();
}
