/**
 * Who leads: by itself, or by the fences of a database that clusters share.
 * It uses no other room.
 */
export {};
