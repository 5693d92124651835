import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Taken is a message that the other side accepted, as it came. */
export interface Taken {
  readonly id: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** FAULTS are ways in which the other side fails; each kind has what it can have of them. */
export const INBOX_FAULTS = [
  'refused',
  'cut before',
  'cut after',
  'silent',
  'busy',
  'limited',
  'broken',
  'garbage',
  'not ready',
  'too late',
] as const;

/** Fault is one of them. */
export type InboxFault = (typeof INBOX_FAULTS)[number];

/** Inbox is the other side of channels that are sent messages: a server of hooks and a mail server, which remember what they took. */
export interface Inbox {
  readonly url: string;
  readonly mailPort: number;
  readonly taken: Taken[];
  /** How the next calls fail; null for not at all. */
  fault: InboxFault | null;
  close(): Promise<void>;
}

/** idIn finds the id of a message in whatever carries it. */
function idIn(text: string): string {
  return /msg_[a-z2-7]{26}/.exec(text)?.[0] ?? '';
}

/** startInbox starts it on loopback. An address with `slack` or `teams` in it answers as theirs do. */
export async function startInbox(): Promise<Inbox> {
  const taken: Taken[] = [];
  const side = {
    url: '',
    mailPort: 0,
    taken,
    fault: null as InboxFault | null,
    close: async (): Promise<void> => undefined,
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { headers, url: path = '' } = request;
      const take = (): void => void taken.push({ id: idIn(body), path, headers, body });
      answerHook(side.fault, path, response, take);
    });
  });
  const sockets = new Set<Socket>();
  const smtp = mailServer(side, sockets);
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  await new Promise<void>((done) => void smtp.listen(0, '127.0.0.1', done));
  side.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  side.mailPort = (smtp.address() as AddressInfo).port;
  side.close = async () => {
    server.closeAllConnections();
    await new Promise((done) => void server.close(done));
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => void smtp.close(done));
  };
  return side;
}

function goodAnswer(path: string): readonly [status: number, text: string] {
  if (path.includes('slack')) return [200, 'ok'];
  return [path.includes('teams') ? 202 : 204, ''];
}

function answerHook(
  fault: InboxFault | null,
  path: string,
  response: ServerResponse,
  take: () => void,
): void {
  const [status, text] = goodAnswer(path);
  switch (fault) {
    case 'refused':
    case 'cut before':
      response.socket?.destroy();
      return;
    case 'cut after':
      take();
      response.socket?.destroy();
      return;
    case 'silent':
      return;
    case 'too late':
      take();
      return;
    case 'busy':
      response.writeHead(503).end('busy');
      return;
    case 'limited':
      response.writeHead(429, { 'retry-after': '7' }).end('slow down');
      return;
    case 'broken':
      response.writeHead(500).end('{"error":');
      return;
    case 'garbage':
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html>\u0000</html>');
      return;
    case 'not ready':
      response.writeHead(408).end();
      return;
    case null:
      take();
      response.writeHead(status).end(text);
  }
}

/** A mail server of a few lines, which answers at once and can break off anywhere; the tests of mail have a real one. */
function mailServer(
  side: { fault: InboxFault | null; readonly taken: Taken[] },
  sockets: Set<Socket>,
): Server {
  return createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let text = '';
    let inData = false;
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    if (side.fault === 'refused') {
      socket.end('421 closing\r\n');
      return;
    }
    say(side.fault === 'busy' ? '554 not now' : '220 mail.example.com ESMTP');
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      for (;;) {
        const end = inData ? text.indexOf('\r\n.\r\n') : text.indexOf('\r\n');
        if (end === -1) return;
        const part = text.slice(0, end);
        text = text.slice(end + (inData ? 5 : 2));
        // A dot that begins a line was sent twice, so that no line ends the mail.
        if (inData) takeMail(side, part.replaceAll(/^\./gm, ''), socket, say);
        else if (answerMail(side.fault, part.toUpperCase(), say) === 'data') {
          inData = true;
          continue;
        }
        inData = false;
      }
    });
  });
}

function answerMail(fault: InboxFault | null, line: string, say: (line: string) => void): 'data' | null {
  if (line.startsWith('EHLO')) say('250 mail.example.com');
  else if (line.startsWith('MAIL'))
    say({ limited: '452 too many', broken: '451 local error' }[fault as string] ?? '250 ok');
  else if (line.startsWith('RCPT')) {
    if (fault === 'not ready') say('450 greylisted, come again');
    else if (fault !== 'silent') say('250 ok');
  } else if (line.startsWith('DATA')) {
    say('354 go on');
    return 'data';
  } else say(line.startsWith('QUIT') ? '221 bye' : '250 ok');
  return null;
}

function takeMail(
  { fault, taken }: { readonly fault: InboxFault | null; readonly taken: Taken[] },
  body: string,
  socket: Socket,
  say: (line: string) => void,
): void {
  const id = idIn(/^Message-ID: .*$/im.exec(body)?.[0] ?? '');
  const take = (): void => void taken.push({ id, path: '/mail', headers: {}, body });
  if (fault === 'cut before') socket.destroy();
  else if (fault === 'garbage') socket.end('45');
  else if (fault === 'cut after') {
    take();
    socket.destroy();
  } else {
    take();
    if (fault !== 'too late') say('250 queued');
  }
}
