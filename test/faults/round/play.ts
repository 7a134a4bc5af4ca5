import { setTimeout as pause } from 'node:timers/promises'
import mongoose, { type mongo } from 'mongoose'
import { runFaults } from '../nemesis/nemesis.ts'
import type { PlannedFault, Servers } from '../plan/fault.ts'
import type { OperationName } from '../traffic/operations.ts'
import { startTraffic, type Traffic } from '../traffic/traffic.ts'
import { dump } from './dump.ts'
import type { Notes } from './notes.ts'
import { awaitQuiet } from './quiet.ts'
import { settings } from './settings.ts'
import type { Stage } from './stage.ts'

export interface RoundOptions {
  seed: number
  /** The folder of the build (`buildWith`). */
  build: string
  servers: Servers
  trafficSeconds: number
  perSecond: number
  /** The operations that the traffic performs ten times as often. */
  often: readonly OperationName[]
  plan: readonly PlannedFault[]
  /** Faults that are later than this are left out. */
  maxLateMs: number
  quietSeconds: number
  /** The folder of the evidence. Emptied first. */
  folder: string
}

/** How long to wait before the clock jumps. A hold that the wallet may still execute lasts at least two minutes. */
const walletSeconds = 8
const heldMs = 5 * 60_000
/** Lists count items exactly that are older than five minutes. */
const countedMs = 6 * 60_000
const dayMs = 86_400_000

/** Runs traffic with faults, the wait for quiet, the audit, the end of the processes and the dump. */
export async function play(options: RoundOptions, stage: Stage, notes: Notes): Promise<void> {
  const { clocks, endpointServers, origins, commandLine } = stage
  const { plan, maxLateMs } = options
  const traffic = await startTraffic({
    ...options,
    endpointServers,
    origins: () => origins,
    admin: commandLine.run,
    clockAheadMs: clocks.aheadMs,
  })
  try {
    notes.setting({ beganAt: Date.now(), ...traffic.provisioned })
    await notes.attempt('the faults', () =>
      Promise.all([runFaults(stage, plan, maxLateMs, notes.fault), pause(options.trafficSeconds * 1000)]),
    )
    await notes.attempt('the healing', async () => {
      for (const one of stage.processes.values()) await one.start()
    })
    notes.setting({ healedAt: Date.now() })
    await notes.attempt('an operation of the traffic', traffic.settle)
    await comeToRest(options, stage, traffic, notes)
  } finally {
    await traffic.close()
  }
}

async function comeToRest(options: RoundOptions, stage: Stage, traffic: Traffic, notes: Notes) {
  const client = new mongoose.mongo.MongoClient(stage.servers.mongodbUrl, { readConcernLevel: 'majority' })
  const endAll = () => Promise.all([...stage.processes.values()].map((one) => one.end()))
  try {
    await notes.attempt('the wait for quiet', () => passNight(options, stage, client.db(), notes))
    jump(stage, countedMs, notes)
    await notes.attempt('the audit', traffic.audit)
    await notes.attempt('the end of the processes', endAll)
    await notes.attempt('the dump', () => dump(client.db(), options.folder))
  } finally {
    await client.close()
  }
}

/**
 * If the sandbox's data has become old, lets another night pass, so that the clean-up removes the rest. An intent stays
 * for 25 hours after the last request that changed it.
 */
async function passNight(options: RoundOptions, stage: Stage, db: mongo.Db, notes: Notes): Promise<void> {
  const isQuiet = await becomeQuiet(options, stage, db, notes)
  if (!isQuiet || stage.clocks.aheadMs() < settings.sandboxRetentionDays * dayMs) return
  jump(stage, 2 * dayMs, notes)
  await becomeQuiet(options, stage, db, notes)
}

async function becomeQuiet(options: RoundOptions, stage: Stage, db: mongo.Db, notes: Notes) {
  const now = () => new Date(Date.now() + stage.clocks.aheadMs())
  const deadline = Date.now() + options.quietSeconds * 1000
  for (;;) {
    const { quietAt, left } = await awaitQuiet(db, now, walletSeconds)
    notes.setting({ quietAt, left: left.map(({ message }) => message) })
    if (quietAt !== null || Date.now() > deadline) return quietAt !== null
    if (left.some(({ isHeld }) => isHeld)) jump(stage, heldMs, notes)
  }
}

function jump({ clocks }: Stage, ms: number, notes: Notes): void {
  const began = Date.now()
  clocks.jump(ms)
  notes.fault({ began, ended: Date.now(), what: 'clock.jump', target: `all +${ms}` }, null)
}
