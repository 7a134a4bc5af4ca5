import { describeError, type Log } from './log.ts'

/**
 * Logs an uncaught exception, such as a bug or an occupied port, and exits with 1. Sweeps finish the work that the
 * process leaves.
 */
export function endOnCrash(log: Log): void {
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'process.crashed')
    // With LOG_LEVEL=silent, stderr still shows why the process ended.
    if (!log.isLevelEnabled('error')) process.stderr.write(`${JSON.stringify(describeError(err))}\n`)
    process.exit(1)
  })
}
