import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, files, openRecord, type Setting } from '../evidence/evidence.ts'
import type { PlannedFault } from '../nemesis/faults.ts'
import { settings } from './stage.ts'

const unfinished = 'the round did not finish'
export type Notes = ReturnType<typeof openNotes>

export function openNotes(folder: string, seed: number) {
  const record = openRecord(folder)
  const faults: Fault[] = []
  const done: PlannedFault[] = []
  const brokenOff: string[] = []
  const unknown = { businesses: [], wallets: [], providerWallets: [], staff: [], stock: [], left: [] }
  const times = { beganAt: Date.now(), healedAt: Date.now(), quietAt: null, clientTimeoutMs: 0 }
  let setting: Omit<Setting, 'brokenOff'> = { seed, settings, ...unknown, ...times }
  const write = (broken: string[]): void =>
    writeFileSync(join(folder, files.setting), JSON.stringify({ ...setting, brokenOff: broken }, null, 2))
  write([unfinished])
  return {
    faults,
    done,
    fault(fault: Fault, planned: PlannedFault | null): void {
      faults.push(fault)
      if (planned !== null) done.push(planned)
      record.fault(fault)
    },
    end: (process: string, message: string): void => record.end({ at: Date.now(), process, message }),
    setting(known: Partial<Setting>): void {
      setting = { ...setting, ...known }
      write([...brokenOff, unfinished])
    },
    async attempt<Made>(part: string, act: () => Promise<Made>): Promise<Made | null> {
      try {
        return await act()
      } catch (error) {
        const first: unknown = error instanceof AggregateError ? error.errors[0] : error
        brokenOff.push(`${part}: ${first instanceof Error ? (first.stack ?? first.message) : String(first)}`)
        return null
      }
    },
    async close(): Promise<void> {
      write(brokenOff)
      await record.close()
    },
  }
}
