import type { Secrets } from '../../adapters/kubernetes/index.ts';
import type { SecretStore } from '../../certificates/index.ts';

/** secretStore keeps the texts of one Secret. */
export function secretStore(secrets: Secrets, name: string): SecretStore {
  // One that a person left there keeps its type, as it must.
  let type = 'Opaque';
  const write = async (data: Readonly<Record<string, string>>, version: string | null): Promise<boolean> => {
    const bytes = new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)]));
    return (await secrets.write(name, version === null ? 'Opaque' : type, bytes, version)) !== null;
  };
  return {
    async read() {
      const held = await secrets.read(name);
      if (held === null) return null;
      ({ type } = held);
      const data = Object.fromEntries([...held.data].map(([key, value]) => [key, value.toString()]));
      return { data, version: held.version };
    },
    create: (data) => write(data, null),
    replace: write,
  };
}
