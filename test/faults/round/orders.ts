import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ProcessName, processNames, typeOf } from '../plan/fault.ts'
import { writeWhole } from './clocks.ts'

/** What a process is to do at a named point. */
export interface Order {
  point: string
  /** At which passing of the point from now on. */
  time: number
  deed: 'kill' | 'stop'
}

/** What each process is told to do at named points, in a file that it reads (support/edited-build/inside.ts). */
export interface Orders {
  fileOf(name: ProcessName): string
  /**
   * From now on. Beside its own point stand those that no process of its type came to so far, when they were ordered with the same deed: it does it at
   * the first of all these that it passes, and at no other.
   */
  give(name: ProcessName, order: Order): void
  /** `reached`: where it did it; null: it passed none of them. */
  takeBack(name: ProcessName, order: Order, reached: string | null): void
}

export function openOrders(folder: string): Orders {
  mkdirSync(folder, { recursive: true })
  const fileOf = (name: ProcessName): string => join(folder, `${name}.orders`)
  const write = (name: ProcessName, text: string): void => writeWhole(fileOf(name), text)
  for (const name of processNames) write(name, '')
  // Of an operation that is seldom asked for, a few seconds are seldom enough.
  const missed = { web: new Map<string, Order['deed']>(), worker: new Map<string, Order['deed']>() }
  return {
    fileOf,
    give(name, { point, time, deed }) {
      const others = [...missed[typeOf(name)]].filter(([other, its]) => other !== point && its === deed)
      write(name, [`${point}:${time}:${deed}`, ...others.map(([other]) => `${other}:1:${deed}`)].join(','))
    },
    takeBack(name, { point, deed }, reached) {
      write(name, '')
      if (reached !== point) missed[typeOf(name)].set(point, deed)
      if (reached !== null) missed[typeOf(name)].delete(reached)
    },
  }
}
