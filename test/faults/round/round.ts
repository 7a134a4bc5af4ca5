import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { check } from '../checker/check.ts'
import { type Fault, files, type Violation } from '../evidence/evidence.ts'
import { openRecord } from '../evidence/record.ts'
import { logFaults } from './log-faults.ts'
import { play, type RoundAsked } from './play.ts'
import { watchPulse } from './pulse.ts'
import { openStage, type Stage } from './stage.ts'

export interface Round {
  violations: Violation[]
  faults: Fault[]
  quietAt: number | null
}

/**
 * One round: servers and processes of its own, traffic, what is planned against them, quiet, an audit through the API, a dump, and what the
 * checker says of it. Two may run at once.
 */
export async function runRound(asked: RoundAsked): Promise<Round> {
  rmSync(asked.folder, { recursive: true, force: true })
  mkdirSync(join(asked.folder, files.log), { recursive: true })
  const record = openRecord(asked.folder)
  const faults: Fault[] = []
  const tell = (fault: Fault): void => {
    faults.push(fault)
    record.fault(fault)
  }
  const stopWatching = watchPulse(tell)
  const stage = await openStage(asked, tell)
  const { quietAt, left } = await playOut(asked, stage, tell)
  stopWatching()
  await record.close()
  const stuck = left.map((says) => ({ promise: 'quiet.reached', of: 'the round', says }))
  const violations = [...stage.violations, ...stuck, ...(await inLogs(stage)), ...(await check(asked.folder))]
  return { violations, faults, quietAt }
}

async function playOut(asked: RoundAsked, stage: Stage, tell: (fault: Fault) => void) {
  try {
    return await play(asked, stage, tell)
  } finally {
    await stage.stop()
  }
}

async function inLogs(stage: Stage): Promise<Violation[]> {
  const all = [...stage.processes.keys()].map((name) => logFaults(name, stage.logOf(name)))
  return (await Promise.all(all)).flat()
}
