import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { podSpec, signalsOf } from '../../src/pods/index.ts';
import { SIGNALS } from '../../src/policy/index.ts';

/** A container that shows nothing, for a pod to differ from in one thing. */
const QUIET = { name: 'a', image: 'a:1', securityContext: { runAsNonRoot: true } };

function signals(spec: object, exposedBy: string | null = null): string[] {
  return signalsOf(podSpec.parse({ containers: [QUIET], ...spec }), exposedBy);
}

function secured(securityContext: object, pod: object = {}): string[] {
  return signals({ containers: [{ ...QUIET, securityContext }], securityContext: pod });
}

suite('the signals of a pod', () => {
  const cases: readonly (readonly [string, string[], string[]])[] = [
    ['a pod that rules everything out shows nothing', signals({}), []],
    ['an unset context leaves root possible', signals({ containers: [{ name: 'a', image: 'a' }] }), ['root']],
    [
      'a null context is an unset one',
      signals({ containers: [{ name: 'a', securityContext: null }] }),
      ['root'],
    ],
    ['runAsNonRoot of the pod counts for its containers', secured({}, { runAsNonRoot: true }), []],
    [
      'a container’s own runAsNonRoot goes before the pod’s',
      secured({ runAsNonRoot: false }, { runAsNonRoot: true }),
      ['root'],
    ],
    ['a user other than 0 is not root', secured({ runAsUser: 1000 }), []],
    ['a user other than 0 on the pod counts for its containers', secured({}, { runAsUser: 65532 }), []],
    ['user 0 is root', secured({ runAsUser: 0 }), ['root']],
    [
      'user 0 on the container goes before the pod’s',
      secured({ runAsUser: 0 }, { runAsUser: 1000 }),
      ['root'],
    ],
    ['a user on the container goes before 0 on the pod', secured({ runAsUser: 1000 }, { runAsUser: 0 }), []],
    ['user 0 counts even beside runAsNonRoot', secured({ runAsUser: 0, runAsNonRoot: true }), ['root']],
    [
      'user 0 of the pod counts even beside the container’s runAsNonRoot',
      secured({ runAsNonRoot: true }, { runAsUser: 0 }),
      ['root'],
    ],
    ['a user suffices beside runAsNonRoot false', secured({ runAsUser: 7, runAsNonRoot: false }), []],
    [
      'one container of several suffices',
      signals({ containers: [QUIET, { ...QUIET, securityContext: {} }] }),
      ['root'],
    ],
    ['an init container counts', signals({ initContainers: [{ ...QUIET, securityContext: {} }] }), ['root']],
    [
      'an ephemeral container counts',
      signals({ ephemeralContainers: [{ ...QUIET, securityContext: { privileged: true, runAsUser: 5 } }] }),
      ['privileged'],
    ],
    ['privileged true', secured({ runAsUser: 5, privileged: true }), ['privileged']],
    ['privileged false', secured({ runAsUser: 5, privileged: false }), []],
    [
      'a Windows host process of a container is privileged',
      secured({ runAsUser: 5, windowsOptions: { hostProcess: true } }),
      ['privileged'],
    ],
    [
      'a Windows host process of the pod is privileged',
      secured({ runAsUser: 5 }, { windowsOptions: { hostProcess: true } }),
      ['privileged'],
    ],
    ['the network of the host', signals({ hostNetwork: true }), ['hostNamespace']],
    ['the processes of the host', signals({ hostPID: true }), ['hostNamespace']],
    ['the IPC of the host', signals({ hostIPC: true }), ['hostNamespace']],
    ['host namespaces that are false', signals({ hostNetwork: false, hostPID: false, hostIPC: false }), []],
    [
      'a hostPath volume, mounted or not',
      signals({ volumes: [{ name: 'v', hostPath: { path: '/' } }] }),
      ['hostFilesystem'],
    ],
    [
      'a volume of another kind',
      signals({
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'w', hostPath: null },
        ],
      }),
      [],
    ],
    [
      'a capability beyond the baseline',
      secured({ runAsUser: 5, capabilities: { add: ['NET_RAW'] } }),
      ['capabilities'],
    ],
    ['every capability at once', secured({ runAsUser: 5, capabilities: { add: ['ALL'] } }), ['capabilities']],
    [
      'a capability of the baseline',
      secured({ runAsUser: 5, capabilities: { add: ['CHOWN', 'NET_BIND_SERVICE'] } }),
      [],
    ],
    [
      'a capability of the baseline spelled otherwise',
      secured({ runAsUser: 5, capabilities: { add: ['CAP_CHOWN'] } }),
      ['capabilities'],
    ],
    ['capabilities that are dropped', secured({ runAsUser: 5, capabilities: { drop: ['ALL'] } }), []],
    ['a Service leads to it', signals({}, 'Service shop/web'), ['exposed']],
    [
      'a port of its node',
      signals({ containers: [{ ...QUIET, ports: [{ containerPort: 80, hostPort: 80 }] }] }),
      ['exposed'],
    ],
    ['a port of its own', signals({ containers: [{ ...QUIET, ports: [{ containerPort: 80 }] }] }), []],
    [
      'on the host’s network every port is one of the node',
      signals({ hostNetwork: true, containers: [{ ...QUIET, ports: [{ containerPort: 80 }] }] }),
      ['hostNamespace', 'exposed'],
    ],
    [
      'all six, in the order of the service',
      signals(
        {
          hostPID: true,
          volumes: [{ hostPath: {} }],
          containers: [{ securityContext: { privileged: true, capabilities: { add: ['SYS_ADMIN'] } } }],
        },
        'Ingress shop/web',
      ),
      [...SIGNALS],
    ],
  ];
  for (const [name, shown, expected] of cases) test(name, () => assert.deepEqual(shown, expected));

  test('taking away what secures a container never takes a signal away', () => {
    const context = fc.record(
      {
        privileged: fc.boolean(),
        runAsNonRoot: fc.boolean(),
        runAsUser: fc.constantFrom(0, 1000),
        capabilities: fc.record({ add: fc.array(fc.constantFrom('CHOWN', 'NET_RAW')) }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(context, context, (own, pod) => {
        const before = secured(own, pod);
        const { runAsNonRoot: _, ...open } = own;
        const after = secured(open, { ...pod, runAsNonRoot: false });
        assert.ok(
          before.every((signal) => after.includes(signal)),
          `${before.join()} became ${after.join()}`,
        );
      }),
    );
  });
});
