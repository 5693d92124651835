import type { Socket } from 'node:net';
import type { Server } from 'node:https';

/** An open connection, and since when it waits, by the order in which they began to; Infinity while it is answered. */
interface Connection {
  readonly socket: Socket;
  waits: number;
}

/**
 * Connections bounds how many connections are open without ever closing the door: where there is no room for a new one, the one goes
 * that has been waiting for longest, be it for a handshake, a request or the end of a body. So neither silent clients nor slow ones
 * can keep the API server out, which sends as soon as it is connected; one whose review is being answered never goes.
 */
export class Connections {
  readonly #most: number;
  /** By their peer. */
  readonly #open = new Map<string, Connection>();
  /** Grows with each connection that begins to wait. */
  #order = 0;
  /** The peers of the sockets that requests came on; to make them out takes longer than all that is done with them. */
  readonly #peers = new WeakMap<Socket, string>();

  /** `most`: how many may be open at a time. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Watches the connections of a server, from before their handshakes. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      if (this.#open.size >= this.#most) this.#makeRoom();
      this.#open.set(peer, { socket, waits: (this.#order += 1) });
      socket.once('close', () => {
        if (this.#open.get(peer)?.socket === socket) this.#open.delete(peer);
      });
    });
  }

  /** The connection of a request, whose body has come, is kept until `waits`. */
  works(of: Socket): void {
    const connection = this.#open.get(this.#peerOf(of));
    if (connection !== undefined) connection.waits = Infinity;
  }

  /** It waits again, from now on. */
  waits(of: Socket): void {
    const connection = this.#open.get(this.#peerOf(of));
    if (connection !== undefined) connection.waits = this.#order += 1;
  }

  /** Closes every connection, also those that have not shaken hands, which the server itself does not. */
  end(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #peerOf(of: Socket): string {
    let peer = this.#peers.get(of);
    if (peer === undefined) this.#peers.set(of, (peer = peerOf(of)));
    return peer;
  }

  #makeRoom(): void {
    let longest: readonly [peer: string, connection: Connection] | null = null;
    for (const one of this.#open) if (one[1].waits < (longest?.[1].waits ?? Infinity)) longest = one;
    if (longest === null) return; // all of them are being answered, which is soon over
    const [peer, { socket }] = longest;
    this.#open.delete(peer);
    socket.destroy();
  }
}

/** The TLS socket of a request is another object than the one that was accepted, with the same peer. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
