/**
 * Programs of our own, run as processes and threads beside the service: where they stand, what of the environment they are given, and how
 * what they throw comes back.
 * It uses no other room.
 */
export {};
