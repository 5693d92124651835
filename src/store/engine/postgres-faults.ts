import { StoreError } from '../sql/store-error.ts';

/** postgresFault gives a fault of PostgreSQL or of the way to it as StoreError; a broken constraint comes back as it was. */
export function postgresFault(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const cause = error;
  if (code === '28P01' || code === '28000') {
    return new StoreError('unreadable', `the server of ${name} refuses the user or the password`, {
      hint: 'Check user and password in the address, and pg_hba.conf on the server',
      cause,
    });
  }
  if (code === '3D000') {
    return new StoreError('unreadable', `the database ${name} does not exist`, {
      hint: 'Make it with createdb, or check the name in the address',
      cause,
    });
  }
  if (code === '42501') {
    return new StoreError('unwritable', `this user may not do that in ${name}: ${error.message}`, {
      hint: 'Make the user the owner of the database',
      cause,
    });
  }
  if (code === '57014') {
    return new StoreError('unavailable', `${name} took too long and the statement was stopped`, {
      hint: 'Look at the load of the server; it is tried again with the next request',
      cause,
    });
  }
  if (code === '55P03') {
    return new StoreError('unavailable', `${name} kept a lock for too long`, { cause });
  }
  if (code === '25006') {
    return new StoreError('unavailable', `${name} is read-only; nothing was written`, {
      hint: 'The address must name the primary server, and default_transaction_read_only be off',
      cause,
    });
  }
  if (code === '40001' || code === '40P01') {
    return new StoreError('unavailable', `${name} stopped the transaction because of another one`, { cause });
  }
  if (/^53/.test(code)) {
    return new StoreError(
      'unavailable',
      `${name} is out of ${code === '53100' ? 'disk space' : 'resources'}`,
      {
        hint: 'Make room on the server; the service goes on by itself',
        cause,
      },
    );
  }
  if (error.message === 'timeout exceeded when trying to connect') {
    return new StoreError('unavailable', `every session with ${name} is in use`, {
      hint: 'Look for slow statements on the server, or allow more sessions with database.poolSize',
      cause,
    });
  }
  if (/^(57P|08|58|25P03$)/.test(code) || isNetwork(error, code)) {
    return new StoreError(
      'unavailable',
      `the server of ${name} cannot be reached${code === '' ? '' : ` (${code})`}`,
      {
        hint: 'Check that it runs and that host and port in the address are right',
        cause,
      },
    );
  }
  return error;
}

/** isMissingDatabase tells that the server answers and has no database of that name. */
export function isMissingDatabase(error: unknown): boolean {
  if (!(error instanceof StoreError) || !(error.cause instanceof Error)) return false;
  return 'code' in error.cause && error.cause.code === '3D000';
}

function isNetwork(error: Error, code: string): boolean {
  if (/^E[A-Z_]+$/.test(code)) return true;
  return /Connection terminated|timeout|Client has encountered a connection error|does not support SSL/i.test(
    error.message,
  );
}
