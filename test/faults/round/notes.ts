import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, files, type Setting } from '../evidence/evidence.ts'
import { openRecord } from '../evidence/record.ts'
import type { PlannedFault, ProcessName } from '../plan/fault.ts'
import { settings } from './settings.ts'

/** What is written down of a round beside its traffic. */
export interface Notes {
  /** `planned`: null of what was done beside the plan. */
  fault(fault: Fault, planned: PlannedFault | null): void
  /** A process ended, and nobody had ended it. */
  end(process: ProcessName, message: string): void
  /** What is known by now; the rest stays as it was. */
  setting(known: Partial<Setting>): void
  /** Does one part of the round. What it throws is noted, and the round goes on with the next. */
  attempt<Made>(part: string, act: () => Promise<Made>): Promise<Made | null>
  faults: readonly Fault[]
  done: readonly PlannedFault[]
  /** Resolves when all of it is in the folder. */
  close(): Promise<void>
}

/** Of a round whose harness was killed nobody writes anything better. */
const unfinished = 'it was not played to its end'

/** Opens them in the folder of the evidence, which can be checked from then on. */
export function openNotes(folder: string, seed: number): Notes {
  const record = openRecord(folder)
  const faults: Fault[] = []
  const done: PlannedFault[] = []
  const brokenOff: string[] = []
  let setting: Setting = { ...nothing(), seed }
  const write = (broken: string[]): void =>
    writeFileSync(
      join(folder, files.setting),
      JSON.stringify({ ...setting, brokenOff: broken } satisfies Setting, null, 2),
    )
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
        brokenOff.push(`${part}: ${wordsOf(error)}`)
        return null
      }
    },
    async close() {
      write(brokenOff)
      await record.close()
    },
  }
}

const nothing = (): Setting => ({
  seed: 0,
  beganAt: Date.now(),
  healedAt: Date.now(),
  quietAt: null,
  left: [],
  brokenOff: [],
  settings,
  businesses: [],
  wallets: [],
  providerWallets: [],
  staff: [],
  stock: [],
  clientTimeoutMs: 0,
})

/** Where many things failed at once, the first tells enough. */
function wordsOf(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors as unknown[])[0] : error
  return first instanceof Error ? (first.stack ?? first.message) : String(first)
}
