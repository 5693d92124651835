import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { parseManifest } from '../../src/manifests/index.ts';
import { signalsOf } from '../../src/pods/index.ts';
import { openReviewer, policyOf, type Response } from './reviews.ts';

const DATA = new URL('../../../shared/data/k8s/admission/', import.meta.url);
const skip = existsSync(DATA) ? false : 'the shared data is not here';

interface Captured {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly kind?: { readonly group?: string; readonly kind?: string };
    readonly operation: string;
    readonly subResource?: string;
    readonly dryRun?: boolean;
  };
}

suite('AdmissionReviews that others captured', { skip }, () => {
  const names = skip === false ? readdirSync(DATA) : [];

  for (const name of names) {
    test(name, async () => {
      const text = readFileSync(new URL(name, DATA), 'utf8');
      const { apiVersion, request } = JSON.parse(text) as Captured;
      const opened = openReviewer([
        policyOf('{ enforcement: Enforce, allowedRegistries: [nowhere.example] }'),
      ]);
      const reply = await opened.reviewer.review(Buffer.from(text));
      if (apiVersion === 'admission.k8s.io/v1beta1') {
        assert.equal(reply.status, 400, 'the webhook configuration names v1 alone');
        return;
      }
      assert.equal(reply.status, 200, reply.body);
      const { response } = JSON.parse(reply.body) as { response: Response };
      assert.equal(response.uid, request.uid);
      const isPod = request.kind?.kind === 'Pod' && (request.kind.group ?? '') === '';
      const decides = isPod && ['CREATE', 'UPDATE'].includes(request.operation);
      assert.equal(response.allowed, !decides, 'every image of a pod stands in another registry');
      const { workloads } = parseManifest(text, name, 'default');
      if (!decides) return;
      // The same images and signals as `ipo check` reads, but of those that were there before.
      const [workload] = workloads;
      const images = (workload?.images ?? []).map(({ container, image }) => [container, image]);
      assert.deepEqual(
        opened.rows().map((row) => [row.container, row.image]),
        request.dryRun === true ? [] : images,
      );
      for (const row of opened.rows()) {
        assert.deepEqual(row.signals, workload === undefined ? null : signalsOf(workload.spec, null));
        assert.equal(row.subresource, request.subResource || null);
        assert.match(row.requester ?? '', /^(system:|k8s-user:[0-9a-f]{16}$)/);
      }
    });
  }

  test('of an ephemeral container that is added, only it is decided', async () => {
    const { ask, rows } = openReviewer([policyOf('{ enforcement: Enforce, denyLatestTag: true }')]);
    const text = readFileSync(new URL('COMPOSED-ephemeralcontainers-update.json', DATA));
    assert.equal((await ask(text)).allowed, true);
    assert.deepEqual(
      rows().map(({ container, reason }) => [container, reason]),
      [['debugger-x7k2p', '; subresource ephemeralcontainers']],
    );
  });
});
