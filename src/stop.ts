import type { Log } from './log.ts'

/** The first SIGTERM or SIGINT lets what is under way end; the second ends the process at once. */
export function stopOnSignals(log: Log, close: () => Promise<void>): void {
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'process.stopping')
    close().then(
      () => {
        log.info({}, 'process.stopped')
        process.exit(0)
      },
      (err) => {
        log.error({ err }, 'process.stopped-badly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
