import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { Exposure, signalsOf } from '../../src/pods/index.ts';
import { parseManifest, type Manifest } from '../../src/manifests/index.ts';

const DATA = new URL('../../../shared/data/k8s/', import.meta.url);
const skip = existsSync(DATA) ? false : 'the shared data is not here';

function read(path: string): Manifest {
  return parseManifest(readFileSync(new URL(path, DATA), 'utf8'), path, 'default');
}

/** `name: signals` of each workload, and what exposes it. */
function signalsByName({ workloads, services, ingresses }: Manifest): [string, string[], string | null][] {
  const exposure = new Exposure(services, ingresses);
  return workloads.map((workload) => {
    const by = exposure.of(workload.namespace, workload.labels);
    return [workload.name, signalsOf(workload.spec, by), by];
  });
}

suite('every manifest and every AdmissionReview parses', { skip }, () => {
  for (const folder of skip ? [] : ['manifests', 'admission']) {
    for (const name of readdirSync(new URL(`${folder}/`, DATA))) {
      test(name, () => {
        const { workloads, services, ingresses, skipped } = read(`${folder}/${name}`);
        assert.ok(workloads.length + services.length + ingresses.length + skipped.length > 0);
        for (const { images } of workloads)
          for (const { line, image } of images) assert.ok(line >= 1 && image !== '');
      });
    }
  }
});

suite('the Pod Security cases give the signals that their names say', { skip }, () => {
  /** Beside `root`, which none of them rules out. What is not here is none of the six signals. */
  const says: readonly (readonly [string, readonly string[]])[] = [
    ['capabilities_baseline', ['capabilities']],
    ['hostnamespaces', ['hostNamespace']],
    ['hostpathvolumes', ['hostFilesystem']],
    ['hostports', ['exposed']],
    ['privileged', ['privileged']],
    ['windowshostprocess', ['privileged', 'hostNamespace']],
  ];
  test('those that fail the baseline', () => {
    const found = signalsByName(read('manifests/psa-baseline-fail.yaml'));
    assert.equal(found.length, 34);
    for (const [name, signals] of found) {
      const said = says.find(([prefix]) => name.startsWith(prefix))?.[1] ?? [];
      assert.deepEqual(
        signals.filter((signal) => signal !== 'root'),
        said,
        name,
      );
      assert.ok(signals.includes('root'), name);
    }
    for (const [prefix] of says)
      assert.ok(
        found.some(([name]) => name.startsWith(prefix)),
        prefix,
      );
  });

  test('those that pass it', () => {
    const found = signalsByName(read('manifests/psa-baseline-pass.yaml'));
    assert.equal(found.length, 15);
    for (const [name, signals] of found) assert.deepEqual(signals, ['root'], name);
  });
});

suite('the signals of pods made to be bad', { skip }, () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    'everything-allowed-exec-pod': ['privileged', 'root', 'hostNamespace', 'hostFilesystem'],
    'priv-and-hostpid-exec-pod': ['privileged', 'root', 'hostNamespace'],
    'priv-exec-pod': ['privileged', 'root'],
    'hostpath-exec-pod': ['root', 'hostFilesystem'],
    'hostpid-exec-pod': ['root', 'hostNamespace'],
    'hostnetwork-exec-pod': ['root', 'hostNamespace'],
    'hostipc-exec-pod': ['root', 'hostNamespace'],
    'nothing-allowed-exec-pod': ['root'],
  };
  test('one by one', () => {
    const found = signalsByName(read('manifests/badpods.yaml')).map(([name, signals]) => [name, signals]);
    assert.deepEqual(Object.fromEntries(found), cases);
  });
});

suite('the signals of reviewed objects', { skip }, () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['kubewarden-capabilities-req_pod_with_container_with_capabilities_added', ['root', 'capabilities']],
    ['kubewarden-capabilities-req_pod_without_security_context', ['root']],
    ['kubewarden-host-namespaces-deployment_request', ['root', 'hostNamespace', 'exposed']],
    ['kubewarden-host-namespaces-pod_request', ['root', 'hostNamespace', 'exposed']],
    ['kubewarden-hostpaths-request-pod-hostpaths', ['root', 'hostFilesystem']],
    ['kubewarden-pod-privileged-no_privileged_containers', ['root']],
    ['kubewarden-pod-privileged-privileged_container', ['privileged', 'root']],
    ['kubewarden-pod-privileged-privileged_ephemeral_container', ['privileged', 'root']],
    ['kubewarden-pod-privileged-privileged_init_container', ['privileged', 'root']],
    // Its sidecar says nothing of its user, so that root stays possible for the pod.
    ['kubewarden-user-group-e2e-valid_security_context', ['root']],
    ['kubewarden-user-group-e2e-zero_as_user_id', ['root']],
  ];
  for (const [name, signals] of cases) {
    test(name, () =>
      assert.deepEqual(
        signalsByName(read(`admission/${name}.json`)).map(([, shown]) => shown),
        [signals],
      ),
    );
  }

  test('the container that names a user is not root by itself', () => {
    const spec = read('admission/kubewarden-user-group-e2e-valid_security_context.json').workloads[0]?.spec;
    assert.ok(spec);
    const nginx = spec.containers?.filter(({ name }) => name === 'nginx');
    assert.deepEqual(signalsOf({ ...spec, containers: nginx }, null), []);
  });

  test('of an update of ephemeral containers only the added one is decided', () => {
    const [pod] = read('admission/COMPOSED-ephemeralcontainers-update.json').workloads;
    assert.deepEqual(
      pod?.images.map(({ role, image }) => [role, image]),
      [['ephemeral', 'busybox:1.36']],
    );
  });

  test('what is being deleted, and a DELETE, decide nothing', () => {
    for (const name of ['connaisseur-28_deleted_deployment_updated', 'kubewarden-echo-delete_accept']) {
      const { workloads, skipped } = read(`admission/${name}.json`);
      assert.deepEqual([workloads.length, skipped.length], [0, 1], name);
    }
  });
});

suite('what exposes real workloads', { skip }, () => {
  const exposed = (path: string): string[][] =>
    signalsByName(read(path)).flatMap(([name, , by]) => (by === null ? [] : [[name, by]]));

  test('of a shop only the front end', () => {
    assert.deepEqual(exposed('manifests/online-boutique.yaml'), [
      ['frontend', 'Service default/frontend-external'],
    ]);
  });
  test('the controller of the ingresses', () => {
    assert.deepEqual(exposed('manifests/ingress-nginx-cloud.yaml'), [
      ['ingress-nginx-controller', 'Service ingress-nginx/ingress-nginx-controller'],
    ]);
  });
  test('the guestbook', () => {
    assert.deepEqual(exposed('manifests/guestbook-go.yaml'), [['guestbook', 'Service default/guestbook']]);
  });
});

suite('a whole installation', { skip }, () => {
  test('its images, each with its line', () => {
    const path = 'manifests/argocd-namespace-install.yaml';
    const { workloads, skipped } = read(path);
    const lines = readFileSync(new URL(path, DATA), 'utf8').split('\n');
    assert.deepEqual([workloads.length, skipped.length], [7, 0]);
    for (const { image, line, column } of workloads.flatMap(({ images }) => images)) {
      assert.equal(lines[line - 1]?.slice(column - 1).trim(), `image: ${image}`);
    }
  });
});
