/** A process that says again what it is told, until nobody tells it anything. */
process.on('message', (message) => process.send?.(message));
