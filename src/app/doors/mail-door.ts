import { isIpoError, type IpoError } from '../../base/index.ts';
import type { EmailSettings } from '../../channels/index.ts';

/** MailAnswer is what asking a mail server has shown. */
export interface MailAnswer {
  /** `HOST:PORT` of the proxy that it was asked through; null where it was asked directly. */
  readonly proxy: string | null;
  /** What keeps it from taking mail of the channel; null where it takes it. */
  readonly fault: IpoError | null;
}

/** MailDoor asks mail servers from this machine. */
export interface MailDoor {
  /** Asks whether a server would take mail of a channel, without sending one. */
  check(settings: EmailSettings): Promise<MailAnswer>;
}

/**
 * openMailDoor reads how calls leave this machine, before anything is asked: by the variables that say so to a service. Authorities of
 * NODE_EXTRA_CA_CERTS are trusted too. Throws `invalid_config`, FileError.
 */
export async function openMailDoor(env: Readonly<Record<string, string | undefined>>): Promise<MailDoor> {
  const { openOwnOutbound } = await import('./own-outbound.ts');
  const outbound = await openOwnOutbound(env);
  return {
    async check(settings) {
      const { openMail } = await import('../../adapters/messengers/index.ts');
      const rules = { testLoopback: false, privateNetworks: 'allow', denied: [] } as const;
      const { host, port } = settings;
      const proxy = outbound.proxyOf?.(host, port)?.name ?? null;
      const mail = openMail({ settings, rules, guard: () => true, outbound, ca: outbound.authorities });
      try {
        await mail.check();
        return { proxy, fault: null };
      } catch (error) {
        if (!isIpoError(error)) throw error;
        return { proxy, fault: error };
      }
    },
  };
}
