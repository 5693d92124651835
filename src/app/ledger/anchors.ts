import { fileAnchor, httpAnchor, kubernetesAnchor } from '../../adapters/anchors/index.ts';
import { readBounded } from '../../adapters/files/index.ts';
import type { Outbound } from '../../adapters/transport/index.ts';
import { Secret } from '../../base/index.ts';
import type { Anchor } from '../../ledger/index.ts';
import type { Redactor } from '../../telemetry/index.ts';
import type { Settings } from '../config/settings.ts';

/** openAnchors makes the places outside that are told of checkpoints. Throws `usage` for an address that is none, FileError. */
export async function openAnchors(
  { ledger }: Settings,
  redactor: Redactor,
  outbound?: Outbound,
): Promise<readonly Anchor[]> {
  return Promise.all(
    ledger.anchors.map(async (anchor) => {
      switch (anchor.kind) {
        case 'file':
          return fileAnchor({ path: anchor.path, keep: anchor.keep });
        case 'configMap':
          return kubernetesAnchor({ name: anchor.name, namespace: anchor.namespace });
        case 'http': {
          const { url, token, tokenFile, caFile } = anchor;
          const read =
            tokenFile === undefined ? token : new Secret((await readBounded(tokenFile, 4096)).trim());
          if (read !== undefined) redactor.add(read);
          return httpAnchor({
            url,
            token: read?.reveal() ?? null,
            outbound,
            ...(caFile !== undefined && { ca: await readBounded(caFile, 1_048_576) }),
          });
        }
      }
    }),
  );
}
