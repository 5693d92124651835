/** SeenWebhook is one webhook of ours in a ValidatingWebhookConfiguration. */
export interface SeenWebhook {
  /** Name of its ValidatingWebhookConfiguration. */
  readonly configuration: string;
  readonly failurePolicy: string;
  readonly timeoutSeconds: number;
  /** Namespace that the Service is in; null where a URL is called. */
  readonly namespace: string | null;
  readonly service: string | null;
  /** Namespaces that are left out by their name. */
  readonly exempt: readonly string[];
  /** As `pods`, `pods/ephemeralcontainers`. */
  readonly resources: readonly string[];
  /** Whether the path of the Service has an end, by which the webhook knows the API server. It is secret, and not kept here. */
  readonly hasPath: boolean;
  readonly caBundle: 'missing' | 'unreadable' | 'other' | 'ok' | 'unknown';
}

/** SeenLease is the Lease of the leader; times in UTC milliseconds. */
export interface SeenLease {
  readonly name: string;
  readonly holder: string;
  readonly renewedAt: number | null;
  readonly durationMs: number;
}

/** SeenPod is a pod of the service. */
export interface SeenPod {
  readonly name: string;
  readonly ready: boolean;
  readonly image: string;
  readonly restarts: number;
  /** Why it waits, such as `ImagePullBackOff`; null where it does not. */
  readonly waiting: string | null;
}

/** ClusterFacts are what a kubeconfig shows of the service in a cluster. */
export interface ClusterFacts {
  readonly namespace: string;
  /** Version of this program. */
  readonly program: string;
  /** Why the API server cannot be asked; null where it can. */
  readonly fault: string | null;
  /** Name of the StatefulSet; null where the chart is not installed in the namespace. */
  readonly installation: string | null;
  /** Version that the chart says of itself. */
  readonly chartVersion: string | null;
  readonly definitions: readonly {
    readonly name: string;
    readonly state: 'ok' | 'missing' | 'not_established' | 'older';
  }[];
  readonly webhooks: readonly SeenWebhook[];
  /** Ready addresses behind the Service of the webhook; null where there is no such Service. */
  readonly webhookEndpoints: number | null;
  /** Whether the API server gets an answer of the webhook, else why not; null where this account may not have it tried. */
  readonly webhookAnswers: true | string | null;
  /** The serving certificate in its Secret; null where it cannot be seen. */
  readonly certificate: { readonly endsAt: number; readonly names: readonly string[] } | null;
  readonly lease: SeenLease | null;
  readonly pods: readonly SeenPod[];
  readonly replicas: number;
  readonly dataKey: 'ok' | 'missing' | 'invalid' | 'unknown';
  /** Verbs that the ServiceAccount lacks, as `get pods`; null where nobody may ask for it. */
  readonly lacking: readonly string[] | null;
  /** Claims that are not bound. */
  readonly unbound: readonly string[];
}
