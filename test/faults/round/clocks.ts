import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProcessName, processNames } from '../plan/fault.ts'

/** The offset that a round adds to database time, and the wall clocks of its processes. Both are in files. */
export interface Clocks {
  /** The file with the offset, for every process (support/edited-build/inside.ts). */
  offsetFile: string
  /** The file with the wall clock of one process (support/wall-clock.mjs). */
  fileOf(name: ProcessName): string
  /** How far the service's clock is ahead of the machine's. */
  aheadMs(): number
  jump(ms: number): void
  /** Skews the wall clock of one process, which must change nothing. 0 removes the skew. */
  skew(name: ProcessName, ms: number): void
}

export function openClocks(folder: string): Clocks {
  mkdirSync(folder, { recursive: true })
  let aheadMs = 0
  const offsetFile = join(folder, 'offset')
  const fileOf = (name: ProcessName): string => join(folder, `${name}.clock`)
  writeWhole(offsetFile, '0')
  for (const name of processNames) writeWhole(fileOf(name), '0')
  return {
    offsetFile,
    fileOf,
    aheadMs: () => aheadMs,
    jump(ms) {
      aheadMs += ms
      writeWhole(offsetFile, String(aheadMs))
    },
    skew: (name, ms) => writeWhole(fileOf(name), String(ms)),
  }
}

/** Replaces the text of a file at once, so that no reader sees a part of it. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}
