import { describeError, type Log } from './log.ts'

/**
 * Makes the process log any uncaught exception, such as a bug or a port that is already in use, and exit with code 1.
 * The polls and sweeps of the workers complete the work that the process leaves behind.
 */
export function endOnCrash(log: Log): void {
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'process.crashed')
    // If LOG_LEVEL is `silent`, the error is written to stderr, so that the cause of the crash is still visible.
    if (!log.isLevelEnabled('error')) process.stderr.write(`${JSON.stringify(describeError(err))}\n`)
    process.exit(1)
  })
}
