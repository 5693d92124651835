import { createHash } from 'node:crypto';
import { writeBytesWhole, type ServiceClient } from '../../../src/app/index.ts';
import { IpoError } from '../../../src/base/index.ts';

/** downloadFile writes the archive of a package, in full or not at all, and holds it against its digest. Throws FileError, ServiceError, `damaged`. */
export async function downloadFile(
  service: ServiceClient,
  { id, sha256 }: { readonly id: string; readonly sha256: string | null },
  out: string,
  told: (bytes: number) => void,
): Promise<number> {
  const { body } = await service.stream('GET /evidence/{id}/download', { params: { id } });
  let bytes = 0;
  async function* checked(): AsyncGenerator<Uint8Array, void, undefined> {
    const hash = createHash('sha256');
    for await (const chunk of body) {
      hash.update(chunk);
      told((bytes += chunk.length));
      yield chunk;
    }
    if (hash.digest('hex') !== sha256)
      throw new IpoError(
        'damaged',
        `${service.server}: the download of package ${id} does not match its digest`,
        {
          hint: 'Download it again',
        },
      );
  }
  await writeBytesWhole(out, checked());
  return bytes;
}
