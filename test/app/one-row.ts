import type { LedgerEntry } from '../../src/ledger/index.ts';

/** oneRow is a review of one image, as the ledger takes it. */
export const oneRow = (uid: string): LedgerEntry => ({
  uid,
  rows: [
    {
      kind: 'review',
      at: 1_780_000_000_000,
      cluster: null,
      namespace: 'shop',
      pod: 'web',
      pod_uid: null,
      container: 'web',
      image: 'docker.io/library/nginx:1.29',
      digest: null,
      allowed: true,
      review_allowed: true,
      reason: '',
      label: null,
      policy: null,
      policy_revision: '',
      break_glass: false,
      break_glass_reason: null,
      signals: [],
      exposed_by: null,
      subresource: null,
      requester: null,
      pod_level: false,
      inputs: null,
    },
  ],
});
