import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, files, type Setting } from '../evidence/evidence.ts'
import { openRecord } from '../evidence/record.ts'
import type { PlannedFault, ProcessName } from '../plan/fault.ts'
import { settings } from './settings.ts'

/** The records of a round apart from its traffic. */
export interface Notes {
  /** `planned` is null for a fault outside the plan. */
  fault(fault: Fault, planned: PlannedFault | null): void
  /** A process ended by itself. */
  end(process: ProcessName, message: string): void
  setting(known: Partial<Setting>): void
  /** Runs one part of the round. An error is recorded, and the round continues. */
  attempt<Made>(part: string, act: () => Promise<Made>): Promise<Made | null>
  faults: readonly Fault[]
  done: readonly PlannedFault[]
  close(): Promise<void>
}

/** Stays in the setting of a round whose harness is killed. */
const unfinished = 'the round did not finish'

export function openNotes(folder: string, seed: number): Notes {
  const record = openRecord(folder)
  const faults: Fault[] = []
  const done: PlannedFault[] = []
  const brokenOff: string[] = []
  const unknown = { businesses: [], wallets: [], providerWallets: [], staff: [], stock: [] }
  const none = { ...unknown, left: [], brokenOff: [] }
  const times = { beganAt: Date.now(), healedAt: Date.now(), quietAt: null, clientTimeoutMs: 0 }
  let setting: Setting = { seed, settings, ...none, ...times }
  const write = (broken: string[]): void =>
    writeFileSync(join(folder, files.setting), JSON.stringify({ ...setting, brokenOff: broken }, null, 2))
  write([unfinished])
  return {
    faults,
    done,
    fault(fault, planned) {
      faults.push(fault)
      if (planned !== null) done.push(planned)
      record.fault(fault)
    },
    end: (process, message) => record.end({ at: Date.now(), process, message }),
    setting(known) {
      setting = { ...setting, ...known }
      write([...brokenOff, unfinished])
    },
    async attempt(part, act) {
      try {
        return await act()
      } catch (error) {
        const first: unknown = error instanceof AggregateError ? error.errors[0] : error
        brokenOff.push(`${part}: ${first instanceof Error ? (first.stack ?? first.message) : String(first)}`)
        return null
      }
    },
    async close() {
      write(brokenOff)
      await record.close()
    },
  }
}
