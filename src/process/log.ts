import mongoose from 'mongoose'
import { type Logger, type LoggerOptions, pino } from 'pino'

export type Log = Logger

/** Told of each line at warn and error that LOG_LEVEL lets through: its level and its name. */
export type Hear = (level: string, line: string) => void

/**
 * One line of JSON per unit of work on stdout. error = someone must act, warn = it heals, info = something happened. `hear`: null where
 * nobody counts.
 */
export function createLog(level: string, processType: string, hear: Hear | null): Log {
  const lines = openStdout()
  const options: LoggerOptions = {
    level,
    base: { process: processType, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
    hooks: {
      logMethod(args, method, severity) {
        const line = typeof args[0] === 'string' ? args[0] : args[1]
        if (severity >= warnLevel) hear?.(pino.levels.labels[severity] ?? '', String(line))
        method.apply(this, args)
        if (severity >= warnLevel) lines.flush()
      },
    },
  }
  return pino(options, lines)
}

interface Lines {
  write(line: string): void
  flush(): void
}

let stdout: Lines | undefined

/**
 * Writes the lines of one turn of the event loop together: a write for each would be a twentieth of what a create costs. A line at warn or error is
 * written at once, after those before it. SIGKILL may lose the info lines of one turn.
 */
function openStdout(): Lines {
  if (stdout !== undefined) return stdout
  const destination = pino.destination({ fd: 1, sync: true })
  let waiting = ''
  const flush = (): void => {
    const text = waiting
    waiting = ''
    if (text !== '') destination.write(text)
  }
  process.on('exit', flush)
  stdout = {
    write(line) {
      if (waiting === '') setImmediate(flush)
      waiting += line
    },
    flush,
  }
  return stdout
}

const warnLevel = pino.levels.values.warn as number

/**
 * What may be logged of an error. The message of a MongoDB error quotes stored values (payment codes among them),
 * so only its class and codes are kept.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: 'something that is not an Error was thrown' }
  const { code, codeName } = error as { code?: unknown; codeName?: unknown }
  const quotes = isQuoting(error)
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    ...(codeName === undefined ? {} : { codeName }),
    ...(quotes ? {} : { message: error.message }),
    stack: quotes ? framesOf(error.stack) : error.stack,
  }
}

/** Errors whose message quotes values: those of MongoDB, its driver, its encoding, and mongoose. */
const isQuoting = (error: Error): boolean =>
  error instanceof mongoose.mongo.MongoError ||
  error instanceof mongoose.MongooseError ||
  error.name.startsWith('BSON')

/** The frames at the end of a stack, without the message before them, whatever lines that has. */
function framesOf(stack: string | undefined): string {
  const lines = (stack ?? '').split('\n')
  const isFrame = (line: string) => /^\s+at .+(:\d+:\d+|<anonymous>|native|index \d+)\)?$/.test(line)
  return lines
    .slice(lines.findLastIndex((line) => !isFrame(line)) + 1)
    .join('\n')
    .trim()
}

/** Lets a line of the same kind through once per `everyMs`; for faults that come by the thousand. */
export function throttled(everyMs: number, write: (fields: object) => void): (fields: object) => void {
  let quietUntil = 0
  let left = 0
  return (fields) => {
    const now = performance.now()
    if (now < quietUntil) {
      left += 1
      return
    }
    write({ ...fields, suppressed: left })
    quietUntil = now + everyMs
    left = 0
  }
}
