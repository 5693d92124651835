import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenFault } from '../../api/index.ts';
import { IpoError } from '../../base/index.ts';
import { LISTEN_FORM, parseListen } from '../config/settings.ts';

/**
 * holdFree holds that an address `HOST:PORT` can be listened on, before work is done that is lost otherwise. Throws `port_taken`,
 * and `usage` where it is not such an address.
 */
export async function holdFree(listen: string): Promise<void> {
  const at = parseListen(listen);
  if (at === null) throw new IpoError('usage', `--listen ${listen}: must be ${LISTEN_FORM}`);
  const server = createServer();
  try {
    server.listen(at.port, at.host);
    await once(server, 'listening');
  } catch (error) {
    throw listenFault(error, at.host, at.port, '--listen HOST:PORT');
  } finally {
    server.close();
  }
}
