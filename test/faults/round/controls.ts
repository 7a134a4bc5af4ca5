import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProcessName, processNames, typeOf } from './process.ts'

export type Order = { point: string; time: number; deed: 'kill' | 'stop' }
export type Controls = ReturnType<typeof openControls>

export function openControls(folder: string) {
  mkdirSync(folder, { recursive: true })
  let aheadMs = 0
  const missed = { web: new Map<string, Order['deed']>(), worker: new Map<string, Order['deed']>() }
  const file = (name: string): string => join(folder, name)
  // Replaces the text at once, so that no reader sees half of it.
  const write = (name: string, text: string): void => {
    writeFileSync(file(`${name}.new`), text)
    renameSync(file(`${name}.new`), file(name))
  }
  write('offset', '0')
  for (const name of processNames) {
    write(`${name}.clock`, '0')
    write(`${name}.orders`, '')
  }
  return {
    environmentOf: (name: ProcessName) => ({
      FAULT_OFFSET: file('offset'),
      WALL_CLOCK: file(`${name}.clock`),
      FAULT_ORDERS: file(`${name}.orders`),
    }),
    aheadMs: () => aheadMs,
    jump(ms: number): void {
      aheadMs += ms
      write('offset', String(aheadMs))
    },
    skew: (name: string, ms: number): void => write(`${name}.clock`, String(ms)),
    /** Also orders points that no process has reached yet, because rare ones need more time. */
    order(name: string, { point, time, deed }: Order): void {
      const others = [...missed[typeOf(name)]].filter(([other, its]) => other !== point && its === deed)
      const lines = [`${point}:${time}:${deed}`, ...others.map(([other]) => `${other}:1:${deed}`)]
      write(`${name}.orders`, lines.join(','))
    },
    withdraw(name: string, { point, deed }: Order, reached: string | undefined): void {
      write(`${name}.orders`, '')
      if (reached !== point) missed[typeOf(name)].set(point, deed)
      if (reached !== undefined) missed[typeOf(name)].delete(reached)
    },
  }
}
