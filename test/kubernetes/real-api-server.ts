import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request, Agent } from 'undici';

let started: Promise<string> | null = null;

/**
 * startRealApiServer starts `etcd` and `kube-apiserver` of a directory on loopback, as envtest does, once for this process; gives the path
 * of an administrator's kubeconfig. With an audit policy there is an `audit.log` beside it. They end with the process.
 */
export function startRealApiServer(assets: string, auditPolicy: string | null = null): Promise<string> {
  return (started ??= start(assets, auditPolicy));
}

async function start(assets: string, auditPolicy: string | null): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ipo-apiserver-'));
  const children: ChildProcess[] = [];
  const end = (): void => {
    for (const child of children) child.kill('SIGKILL');
  };
  process.once('exit', () => {
    end();
  });
  const run = (program: string, args: readonly string[]): ChildProcess => {
    const child = spawn(join(assets, program), args, { stdio: 'ignore' });
    // The test process need not wait for it.
    child.unref();
    children.push(child);
    return child;
  };
  const [client, peer, secure] = await Promise.all([freePort(), freePort(), freePort()]);
  run('etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${client}`,
    `--advertise-client-urls=http://127.0.0.1:${client}`,
    `--listen-peer-urls=http://127.0.0.1:${peer}`,
    '--unsafe-no-fsync',
  ]);
  const token = randomBytes(16).toString('hex');
  await writeFile(join(folder, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(join(folder, 'sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), {
    mode: 0o600,
  });
  await writeFile(join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  const audit = ['--audit-log-mode=blocking-strict', `--audit-log-path=${join(folder, 'audit.log')}`];
  if (auditPolicy !== null) {
    await writeFile(join(folder, 'audit-policy.yaml'), auditPolicy);
    audit.push(`--audit-policy-file=${join(folder, 'audit-policy.yaml')}`);
  }
  const server = run('kube-apiserver', [
    ...(auditPolicy === null ? [] : audit),
    `--etcd-servers=http://127.0.0.1:${client}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${secure}`,
    `--cert-dir=${join(folder, 'certs')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    `--service-account-key-file=${join(folder, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    '--service-account-issuer=https://127.0.0.1',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    '--allow-privileged=true',
  ]);
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  for (let attempt = 0; ; attempt += 1) {
    if (server.exitCode !== null || attempt > 600) {
      end();
      throw new Error(`kube-apiserver of ${assets} did not start`);
    }
    const ready = await request(`https://127.0.0.1:${secure}/readyz`, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${token}` },
    }).then(
      async ({ statusCode, body }) => {
        await body.dump();
        return statusCode === 200;
      },
      () => false,
    );
    if (ready) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await agent.close();
  const ca = (await readFile(join(folder, 'certs', 'apiserver.crt'))).toString('base64');
  const path = join(folder, 'kubeconfig');
  await writeFile(
    path,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      clusters: [
        {
          name: 'test',
          cluster: { server: `https://127.0.0.1:${secure}`, 'certificate-authority-data': ca },
        },
      ],
      users: [{ name: 'test', user: { token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'default' } }],
    }),
    { mode: 0o600 },
  );
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
