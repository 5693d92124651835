import type { EmailSettings } from '../../channels/index.ts';

/**
 * checkMailServer asks a mail server from this machine whether it would take mail of a channel, without sending one. Authorities of one's
 * own are those of NODE_EXTRA_CA_CERTS. Throws IpoError with what to fix.
 */
export async function checkMailServer(settings: EmailSettings): Promise<void> {
  const { openMail } = await import('../../adapters/messengers/index.ts');
  const rules = { testLoopback: false, privateNetworks: 'allow', denied: [] } as const;
  await openMail({ settings, rules, guard: () => true }).check();
}
