import { isIpoError, isLoopback } from '../../base/index.ts';
import { DataKey } from '../../channels/index.ts';
import { parseListen, type Settings } from './settings.ts';

/** RuleFault is what is wrong with settings that are right each by itself. */
export interface RuleFault {
  readonly path: string;
  readonly message: string;
  readonly hint: string | null;
}

/** checkTogether gives what is wrong with settings taken together. */
export function checkTogether(settings: Settings): RuleFault[] {
  const faults: RuleFault[] = [];
  const { data, database, ledger, evidence, listen, tls, publicUrl, oidc, dataKey, scanner } = settings;
  if (data === undefined) {
    const missing = [
      ...(database.url === undefined ? ['database.url'] : []),
      ...(ledger.keyFile === undefined ? ['ledger.keyFile'] : []),
      ...(evidence.keyFile === undefined ? ['evidence.keyFile'] : []),
      ...(ledger.spool.directory === undefined ? ['ledger.spool.directory'] : []),
    ];
    if (missing.length > 0) {
      faults.push({
        path: 'data',
        message: `data is needed, as ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set`,
        hint: 'Name a directory: data in the file, IPO_DATA, or --data DIR',
      });
    }
  }
  const { host } = parseListen(listen) ?? { host: '' };
  const isPublicHttps = publicUrl !== undefined && new URL(publicUrl).protocol === 'https:';
  if (!isLoopback(host) && tls === undefined && publicUrl === undefined) {
    faults.push({
      path: 'listen',
      message: 'passwords and tokens would come in over plain HTTP from other machines',
      hint: 'Set tls.certFile and tls.keyFile; or, behind a proxy that speaks HTTPS, publicUrl to its https:// address; or, in a container of a laptop, publicUrl to http://localhost:PORT',
    });
  }
  if (publicUrl !== undefined && !isPublicHttps && !isLoopback(new URL(publicUrl).hostname)) {
    faults.push({
      path: 'publicUrl',
      message: 'publicUrl must be https unless it is this machine',
      hint: null,
    });
  }
  if (publicUrl !== undefined && new URL(publicUrl).pathname !== '/') {
    faults.push({
      path: 'publicUrl',
      message: 'publicUrl must have no path',
      hint: 'Give the service a host name of its own',
    });
  }
  if (dataKey !== undefined) {
    try {
      DataKey.parse(dataKey.reveal());
    } catch (error) {
      if (!isIpoError(error)) throw error;
      faults.push({ path: 'dataKey', message: error.message, hint: error.hint ?? null });
    }
  }
  if (oidc !== undefined && publicUrl === undefined) {
    faults.push({
      path: 'publicUrl',
      message: 'publicUrl is needed for oidc: the provider sends browsers back to it',
      hint: null,
    });
  }
  if (scanner.server !== undefined && scanner.kind === 'grype') {
    faults.push({
      path: 'scanner.server',
      message: 'scanner.server is a server of Trivy; scanner.kind is grype',
      hint: null,
    });
  }
  if (scanner.serverToken !== undefined && scanner.server === undefined) {
    faults.push({
      path: 'scanner.serverToken',
      message: 'scanner.serverToken is set without scanner.server',
      hint: null,
    });
  }
  return faults;
}

/** isHttps tells whether clients reach the service by HTTPS: by itself, or by what stands before it. */
export function isHttps({ publicUrl, tls }: Pick<Settings, 'publicUrl' | 'tls'>): boolean {
  return publicUrl === undefined ? tls !== undefined : new URL(publicUrl).protocol === 'https:';
}
