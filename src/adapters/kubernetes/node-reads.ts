import { toPlatformName } from '../../image/index.ts';
import type { Informer, OpenInformer } from './informer.ts';
import { RESOURCES, type KubeObject } from './resources.ts';

/** HeldNode is what is kept of a node. */
export interface HeldNode {
  readonly ready: boolean;
  /** As parsePlatform reads it: `linux/arm64`; null where the node does not say. */
  readonly platform: string | null;
}

/** openNodeReads opens the informer of the nodes; `changed` is called after each change. */
export function openNodeReads(open: OpenInformer, changed: () => void): Informer<HeldNode> {
  return open<HeldNode>(
    RESOURCES.nodes,
    (object) => ({ ready: isReady(object), platform: platformOf(object) }),
    { onChange: changed },
  );
}

function platformOf(object: KubeObject): string | null {
  const { nodeInfo } =
    (
      object as {
        readonly status?: {
          readonly nodeInfo?: { readonly operatingSystem?: unknown; readonly architecture?: unknown };
        };
      }
    ).status ?? {};
  const { operatingSystem: os, architecture } = nodeInfo ?? {};
  return typeof os === 'string' && typeof architecture === 'string'
    ? toPlatformName({ os, architecture })
    : null;
}

function isReady(object: KubeObject): boolean {
  const { conditions = [] } =
    (
      object as {
        readonly status?: {
          readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
        };
      }
    ).status ?? {};
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
