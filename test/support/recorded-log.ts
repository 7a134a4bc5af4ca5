import { pino } from 'pino'
import { describeError } from '../../src/platform/log.ts'

type Line = { msg: string; requestId?: string; [field: string]: unknown }

export function recordLog(level = 'trace') {
  const write = (line: string): void => void (recorded.text += line)
  const recorded = {
    log: pino({ level, serializers: { err: describeError } }, { write }),
    text: '',
    lines: (): Line[] =>
      recorded.text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  }
  return recorded
}
