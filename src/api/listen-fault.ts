import { IpoError } from '../base/index.ts';

/**
 * listenFault says in our words why an address cannot be listened on: `port_taken`; anything else comes back as it was. `setting` says
 * where the address is set.
 */
export function listenFault(error: unknown, host: string, port: number, setting: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (code === 'EADDRINUSE') {
    return new IpoError('port_taken', `${where} is taken by another program`, {
      hint: `Stop that program, or use another address: ${setting}`,
      cause: error,
    });
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new IpoError('port_taken', `${host} is not an address of this machine`, {
      hint: 'Listen on 127.0.0.1, or on 0.0.0.0 for every address',
      cause: error,
    });
  }
  if (code === 'EACCES') {
    return new IpoError('port_taken', `this user may not listen on ${where}`, {
      hint: 'Take a port from 1024 on',
      cause: error,
    });
  }
  return error;
}
