import { pino } from 'pino'
import { describeError } from '../../src/platform/log.ts'

interface Line {
  msg: string
  requestId?: string
  [field: string]: unknown
}

/** Keeps every line that the service logs from now on. */
export function recordLog(level = 'trace') {
  const recorded = {
    log: pino(
      { level, serializers: { err: describeError } },
      { write: (line) => void (recorded.text += line) },
    ),
    text: '',
    lines: (): Line[] =>
      recorded.text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  }
  return recorded
}
