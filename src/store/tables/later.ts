/** LaterTables hold what the history of migrations brought in and later parts of the service use. */
export interface LaterTables {}
