import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ProcessName, processNames } from '../plan/fault.ts'
import { writeWhole } from './clocks.ts'

/** What each process is told to do at a named point, in a file that it reads (build/inside.ts). */
export interface Orders {
  fileOf(name: ProcessName): string
  /** At the `time`th passing of the point from now on. */
  give(name: ProcessName, order: { point: string; time: number; deed: 'kill' | 'stop' }): void
  takeBack(name: ProcessName): void
}

export function openOrders(folder: string): Orders {
  mkdirSync(folder, { recursive: true })
  const fileOf = (name: ProcessName): string => join(folder, `${name}.orders`)
  const write = (name: ProcessName, text: string): void => writeWhole(fileOf(name), text)
  for (const name of processNames) write(name, '')
  return {
    fileOf,
    give: (name, { point, time, deed }) => write(name, `${point}:${time}:${deed}`),
    takeBack: (name) => write(name, ''),
  }
}
