/** Leader tells whether this process leads, and under which fence it writes. Standalone, a process leads itself. */
export interface Leader {
  /** Asked after every wait and before every write; by the monotonic clock, without I/O. */
  isLeader(): boolean;
  /** The number that this leadership was given; writes to the store carry it. */
  fence(): number;
}
