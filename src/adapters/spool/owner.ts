import { chown, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** keepOwner gives a file to whom its directory belongs, where root made it: the replica that works there must be able to write it. */
export async function keepOwner(path: string): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  await chown(path, uid, gid);
}
