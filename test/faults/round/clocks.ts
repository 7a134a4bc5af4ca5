import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProcessName, processNames } from '../plan/fault.ts'

/** The clocks of a round's processes, each in a file that its process reads (build/inside.ts). */
export interface Clocks {
  fileOf(name: ProcessName): string
  /** By how much all of them are ahead. */
  aheadMs(): number
  jump(ms: number): void
  /** One alone, beside what all are ahead; 0: level again. */
  skew(name: ProcessName, ms: number): void
}

export function openClocks(folder: string): Clocks {
  mkdirSync(folder, { recursive: true })
  let aheadMs = 0
  const skews = new Map<ProcessName, number>(processNames.map((name) => [name, 0]))
  const fileOf = (name: ProcessName): string => join(folder, `${name}.clock`)
  const write = (name: ProcessName): void =>
    writeWhole(fileOf(name), String(aheadMs + (skews.get(name) ?? 0)))
  processNames.forEach(write)
  return {
    fileOf,
    aheadMs: () => aheadMs,
    jump(ms) {
      aheadMs += ms
      processNames.forEach(write)
    },
    skew(name, ms) {
      skews.set(name, ms)
      write(name)
    },
  }
}

/** Whoever reads it meanwhile sees the old text or the new one. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}
