import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';

/**
 * A detector on many nodes, in a process of its own: `runtime-load.ts PORT CERTIFICATES CONNECTIONS RATE SECONDS MARK`. RATE 0: each
 * connection sends the next event once the one before is answered, as Falco does. Else this many events a second are sent at fixed times, or
 * as soon as a connection is free. MARK is in every output with the number of the event. Prints one JSON line.
 */
const [port = '', folder = '', connections = '', rate = '', seconds = '', mark = ''] = process.argv.slice(2);
const [RATE, SECONDS] = [Number(rate), Number(seconds)];
const pem = (name: string): Buffer => readFileSync(join(folder, name));
const RULES = [
  ['Terminal shell in container', 'Notice', ['container', 'shell', 'mitre_execution']],
  ['Read sensitive file untrusted', 'Warning', ['filesystem', 'mitre_credential_access']],
  ['Drop and execute new binary in container', 'Critical', ['process', 'malware']],
] as const;

const statuses: Record<string, number> = {};
const took: number[] = [];
/** Numbers of events that were not answered with 200. */
const refused: number[] = [];
let sent = 0;

function nextEvent(number: number): Buffer {
  const [rule, priority, tags] = RULES[number % RULES.length] ?? RULES[0];
  const now = BigInt(Date.now()) * 1_000_000n + BigInt(number % 1_000_000);
  const node = `node-${number % 50}`;
  const pod = `shop-${number % 400}`;
  // As Falco writes it, with the fields that its default rules append.
  const body = `{"hostname":"${node}","output":"${mark} ${number}: ${priority} ${rule} | evt_type=execve user=root user_uid=0 process=sh command=sh -c id parent=containerd-shim","output_fields":{"container.id":"3ad7b26ded6d","container.image.digest":"sha256:${(number % 200).toString(16).padStart(64, '0')}","container.image.repository":"ghcr.io/acme/web","container.image.tag":"1.4","container.name":"web","evt.time":${now},"evt.type":"execve","k8s.ns.name":"shop","k8s.pod.name":"${pod}","k8s.pod.uid":"${pod}","proc.cmdline":"sh -c id","proc.name":"sh","proc.pname":"containerd-shim","proc.tty":34816,"user.loginuid":-1,"user.name":"root","user.uid":0},"priority":"${priority}","rule":"${rule}","source":"syscall","tags":${JSON.stringify(tags)},"time":"${new Date().toISOString().slice(0, 19)}.${String(now).slice(-9)}Z"}`;
  return Buffer.from(
    `POST /falco HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

interface Unanswered {
  readonly number: number;
  readonly at: number;
  readonly answered: () => void;
}

/** Answers come in the order of the events of a connection. */
class Sender {
  readonly #socket: TLSSocket;
  #text = '';
  #waiting: Unanswered[] = [];

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('close', () => {
      for (const one of this.#waiting.splice(0)) this.#settle('closed', one);
    });
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  end(): void {
    this.#socket.destroy();
  }

  send(): Promise<void> {
    const number = sent;
    sent += 1;
    return new Promise((answered) => {
      const one = { number, at: performance.now(), answered };
      if (!this.#socket.writable) return this.#settle('closed', one);
      this.#waiting.push(one);
      this.#socket.write(nextEvent(number));
    });
  }

  #take(chunk: Buffer): void {
    this.#text += chunk.toString('latin1');
    for (;;) {
      const head = this.#text.indexOf('\r\n\r\n');
      if (head === -1) return;
      const end = head + 4 + Number(/content-length: (\d+)/i.exec(this.#text)?.[1] ?? 0);
      if (this.#text.length < end) return;
      const [one] = this.#waiting.splice(0, 1);
      if (one !== undefined) this.#settle(this.#text.slice(9, 12), one);
      this.#text = this.#text.slice(end);
    }
  }

  #settle(status: string, { number, at, answered }: Unanswered): void {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === '200') took.push(performance.now() - at);
    else refused.push(number);
    answered();
  }
}

const senders = await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    const socket = connect({
      port: Number(port),
      host: '127.0.0.1',
      servername: 'localhost',
      ca: pem('ca.crt'),
      cert: pem('client.crt'),
      key: pem('client.key'),
    });
    socket.on('error', () => {}); // its events are not answered
    await new Promise((resolve, reject) =>
      socket.once('secureConnect', resolve).once('close', () => reject(new Error('refused'))),
    );
    socket.setNoDelay(true);
    const sender = new Sender(socket);
    // A connection that says nothing for seconds is closed; opening many takes as long.
    await sender.send();
    return sender;
  }),
);
took.length = 0;
const warmed = sent;
const began = performance.now();
const until = began + SECONDS * 1000;
if (RATE === 0)
  await Promise.all(
    senders.map(async (sender) => {
      while (performance.now() < until && sender.isOpen) await sender.send();
    }),
  );
else {
  const free = senders.filter(({ isOpen }) => isOpen);
  const waiting: ((sender: Sender | null) => void)[] = [];
  const take = async (): Promise<Sender | null> =>
    free.pop() ?? new Promise<Sender | null>((resolve) => waiting.push(resolve));
  const under: Promise<void>[] = [];
  for (let i = 0; i < RATE * SECONDS && performance.now() < until; i += 1) {
    const due = began + (i * 1000) / RATE;
    while (performance.now() < due) await sleep(1);
    const sending = async (): Promise<void> => {
      const sender = await take();
      if (sender === null) return;
      await sender.send();
      if (!sender.isOpen) return;
      const next = waiting.shift();
      if (next === undefined) free.push(sender);
      else next(sender);
    };
    under.push(sending());
    // Answers are read in between.
    if (i % 50 === 0) await new Promise((next) => setImmediate(next));
  }
  // What found no connection that was free was never sent.
  for (const one of waiting.splice(0)) one(null);
  await Promise.all(under);
}
const ms = performance.now() - began;
took.sort((a, b) => a - b);
const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
process.stdout.write(
  `${JSON.stringify({ rate: ((sent - warmed) * 1000) / ms, sent, statuses, refused, p50: at(0.5), p95: at(0.95), p99: at(0.99), most: at(1) })}\n`,
);
for (const sender of senders) sender.end();
