import { constants } from 'node:os'
import { describeError, type Log } from './log.ts'

/** The polls of other processes finish what this one leaves behind. */
export function endOnCrash(log: Log): void {
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'process.crashed')
    // If LOG_LEVEL is `silent`, the cause of the crash goes to stderr.
    if (!log.isLevelEnabled('error')) process.stderr.write(`${JSON.stringify(describeError(err))}\n`)
    process.exit(1)
  })
}

type Close = (leftMs: () => number) => Promise<void>

/**
 * Node.js ignores signals as process 1 in a container. Once there is work to end, pass `close`, which the first signal
 * calls. Supervisors often send two SIGTERMs, so further ones are ignored. A second SIGINT exits at once. After
 * `timeoutMs`, the process exits with code 0: another one takes over the open work, which is in MongoDB.
 */
export function stopOnSignals(log: Log): (timeoutMs: number, close: Close) => void {
  let closing: (() => Promise<void>) | null = null
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping && signal === 'SIGTERM') return
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'process.stopping')
    if (closing === null) process.exit(128 + constants.signals[signal])
    closing().then(
      () => {
        log.info({}, 'process.stopped')
        process.exit(0)
      },
      (err) => {
        log.error({ err }, 'process.stop-failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return (timeoutMs, close) => {
    closing = () => {
      const endAt = performance.now() + timeoutMs
      setTimeout(() => {
        log.warn({ timeoutMs }, 'process.cut')
        process.exit(0)
      }, timeoutMs)
      return close(() => Math.max(0, endAt - performance.now()))
    }
  }
}
