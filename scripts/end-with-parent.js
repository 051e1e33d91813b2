/** Preloaded by start:services into each service: when the process that started it is gone, it stops as on a signal. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone keeps nothing running.
process.channel?.unref();
