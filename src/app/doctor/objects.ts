import type { KubeObject } from '../../adapters/kubernetes/index.ts';

/** What is used of the objects that the doctor reads. */
export type Json = Readonly<Record<string, unknown>>;

/** CHART selects what the chart installs. */
export const CHART = 'app.kubernetes.io/name=image-policy-operator';

export interface List<T> {
  readonly items?: readonly T[];
}

export interface StatefulSet extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec?: {
        readonly serviceAccountName?: string;
        readonly containers?: readonly {
          readonly env?: readonly {
            readonly name?: string;
            readonly valueFrom?: { readonly secretKeyRef?: { readonly name?: string } };
          }[];
        }[];
      };
    };
  };
}

export interface Pod extends KubeObject {
  readonly spec?: { readonly containers?: readonly { readonly image?: string }[] };
  readonly status?: {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
    readonly containerStatuses?: readonly {
      readonly restartCount?: number;
      readonly state?: { readonly waiting?: { readonly reason?: string } };
    }[];
  };
}

export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string | null;
    readonly renewTime?: string | null;
    readonly leaseDurationSeconds?: number;
  };
}

export interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface Claim extends KubeObject {
  readonly status?: { readonly phase?: string };
}

export interface EndpointSlice extends KubeObject {
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[] | null;
}

export interface Definition extends KubeObject {
  readonly spec?: Json;
  readonly status?: { readonly conditions?: readonly { readonly type?: string; readonly status?: string }[] };
}

export interface Configuration extends KubeObject {
  readonly webhooks?: readonly {
    readonly name?: string;
    readonly failurePolicy?: string;
    readonly timeoutSeconds?: number;
    readonly rules?: readonly { readonly resources?: readonly string[] }[];
    readonly namespaceSelector?: {
      readonly matchExpressions?: readonly {
        readonly key?: string;
        readonly operator?: string;
        readonly values?: readonly string[];
      }[];
    };
    readonly clientConfig?: {
      readonly caBundle?: string;
      readonly service?: { readonly name?: string; readonly namespace?: string; readonly path?: string };
    };
  }[];
}
