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
  return [
    ...checkPlaces(settings),
    ...checkAddresses(settings),
    ...checkDataKey(settings),
    ...checkSignIn(settings),
    ...checkScanner(settings),
  ];
}

/** Without a directory, each thing that stands in it by default needs a place of its own. */
function checkPlaces({ data, database, ledger, evidence }: Settings): RuleFault[] {
  if (data !== undefined) return [];
  const missing = [
    ...(database.url === undefined ? ['database.url'] : []),
    ...(ledger.keyFile === undefined ? ['ledger.keyFile'] : []),
    ...(evidence.keyFile === undefined ? ['evidence.keyFile'] : []),
    ...(ledger.spool.directory === undefined ? ['ledger.spool.directory'] : []),
  ];
  if (missing.length === 0) return [];
  return [
    {
      path: 'data',
      message: `data is needed, as ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set`,
      hint: 'Name a directory: data in the file, IPO_DATA, or --data DIR',
    },
  ];
}

/** Where it listens, and by which address clients reach it. */
function checkAddresses({ listen, tls, publicUrl }: Settings): RuleFault[] {
  const faults: RuleFault[] = [];
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
  return faults;
}

function checkDataKey({ dataKey }: Settings): RuleFault[] {
  if (dataKey === undefined) return [];
  try {
    DataKey.parse(dataKey.reveal());
    return [];
  } catch (error) {
    if (!isIpoError(error)) throw error;
    return [{ path: 'dataKey', message: error.message, hint: error.hint ?? null }];
  }
}

function checkSignIn({ oidc, publicUrl }: Settings): RuleFault[] {
  if (oidc === undefined || publicUrl !== undefined) return [];
  return [
    {
      path: 'publicUrl',
      message: 'publicUrl is needed for oidc: the provider sends browsers back to it',
      hint: null,
    },
  ];
}

function checkScanner({ scanner }: Settings): RuleFault[] {
  const faults: RuleFault[] = [];
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
