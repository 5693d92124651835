import { isLoopback } from '../../base/index.ts';
import { parseListen, type Settings } from '../config/settings.ts';

/** originsOf gives where browsers may come from: the public address, else this machine. */
export function originsOf({ publicUrl, listen }: Settings): readonly string[] {
  if (publicUrl !== undefined) return [new URL(publicUrl).origin];
  const { host, port } = parseListen(listen) ?? { host: '', port: 0 };
  const hosts = isLoopback(host) ? ['localhost', '127.0.0.1', '[::1]'] : [host];
  return hosts.flatMap((name) => [`http://${name}:${port}`, `https://${name}:${port}`]);
}

/** localUrl is the address by which a service is called from its own machine, without a slash at its end. */
export function localUrl(
  { host, port }: { readonly host: string; readonly port: number },
  isTls: boolean,
): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const written = host.includes(':') ? `[${host}]` : host;
  const name = everywhere ? 'localhost' : written;
  return `${isTls ? 'https' : 'http'}://${name}:${port}`;
}
