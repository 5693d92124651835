// The test of the chart, run by `helm test` in a pod of the service's image.
import { readFileSync } from 'node:fs';
import { get as getHttp } from 'node:http';
import { get as getHttps, request } from 'node:https';

const { API, WEBHOOK, CA, CERTIFICATE_NEEDED } = process.env;
const ca = CA ?? readFileSync('/etc/ca/ca.crt', 'utf8');
/** With the secret end by which the API server calls. */
const path = process.env.WEBHOOK_PATH ?? readFileSync('/etc/webhook/path', 'utf8');

/** The certificate of the API is for its public name, and asked for here by another; nothing secret is sent. */
const api = await answer((done) =>
  (API.startsWith('https:') ? getHttps : getHttp)(`${API}/readyz`, { rejectUnauthorized: false }, done),
);
if (api.status !== 200) throw new Error(`the API is not ready: ${api.status} ${api.text}`);
console.log('the API is ready');

const uid = crypto.randomUUID();
const review = await answer((done) => {
  const call = request(
    `${WEBHOOK}${path}`,
    { method: 'POST', ca, headers: { 'content-type': 'application/json' } },
    done,
  );
  call.end(
    JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid,
        kind: { group: '', version: 'v1', kind: 'Pod' },
        resource: { group: '', version: 'v1', resource: 'pods' },
        operation: 'CREATE',
        dryRun: true,
        namespace: 'default',
        name: 'helm-test',
        userInfo: { username: 'helm-test', groups: [] },
        object: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'helm-test', namespace: 'default' },
          spec: { containers: [{ name: 'test', image: 'registry.k8s.io/pause:3.10' }] },
        },
      },
    }),
  );
  return call;
});
if (CERTIFICATE_NEEDED === 'true' && review.status === 403 && review.text.includes('no certificate'))
  console.log('the webhook answers, and takes reviews only from the API server');
else {
  const { response } = review.status === 200 ? JSON.parse(review.text) : {};
  if (response?.uid !== uid) throw new Error(`the webhook gave no answer: ${review.status} ${review.text}`);
  console.log(`the webhook answered: allowed ${response.allowed}`);
}

/** The whole answer of a call. */
function answer(start) {
  return new Promise((resolve, reject) => {
    const call = start((response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode, text }));
      response.on('error', reject);
    });
    call.setTimeout(10_000, () => call.destroy(new Error('no answer within 10 s')));
    call.on('error', reject);
  });
}
