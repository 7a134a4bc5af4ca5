import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ProcessName, processNames, typeOf } from '../plan/fault.ts'
import { writeWhole } from './clocks.ts'

/** A process dies or stops when it passes a point for the `time`th time. */
type Order = { point: string; time: number; deed: 'kill' | 'stop' }

/** The orders of each process, in a file that the process reads (support/edited-build/inside.ts). */
export interface Orders {
  fileOf(name: ProcessName): string
  /**
   * Also orders the points that no process of the type has reached yet, because rare operations need more time. Only
   * the first point that is reached counts.
   */
  give(name: ProcessName, order: Order): void
  /** `reached`: the point at which the process died or stopped, if any. */
  takeBack(name: ProcessName, order: Order, reached: string | null): void
}

export function openOrders(folder: string): Orders {
  mkdirSync(folder, { recursive: true })
  const fileOf = (name: ProcessName): string => join(folder, `${name}.orders`)
  for (const name of processNames) writeWhole(fileOf(name), '')
  const missed = { web: new Map<string, Order['deed']>(), worker: new Map<string, Order['deed']>() }
  return {
    fileOf,
    give(name, { point, time, deed }) {
      const others = [...missed[typeOf(name)]].filter(([other, its]) => other !== point && its === deed)
      const lines = [`${point}:${time}:${deed}`, ...others.map(([other]) => `${other}:1:${deed}`)]
      writeWhole(fileOf(name), lines.join(','))
    },
    takeBack(name, { point, deed }, reached) {
      writeWhole(fileOf(name), '')
      if (reached !== point) missed[typeOf(name)].set(point, deed)
      if (reached !== null) missed[typeOf(name)].delete(reached)
    },
  }
}
